/** Tables of a statement that are not compared with the caller: used by `apikiln audit --tenant`. */
import { describe, expect, test } from 'vitest';
import { uncomparedTables } from '../../compiler/read/sql/facts/compared-columns.js';
import { readSql, type Dialect } from '../../compiler/read/sql/statement.js';
import { Trial } from '../../compiler/read/diagnostics/trial.js';
import { wholeText } from '../../compiler/read/source.js';

const columns: Readonly<Record<string, readonly string[]>> = {
  project: ['id', 'tenant', 'name'],
  task: ['id', 'project_id', 'tenant'],
  country: ['id', 'name'],
};

const c = ':[CALLER($.tenant)]';

function found(sql: string, dialect: Dialect = 'postgresql'): string[] {
  const use = /^(?:SELECT|WITH|\()/.test(sql) ? 'READ' : 'UPDATE';
  const { statement } = readSql(
    wholeText('query', sql),
    dialect,
    { kind: 'query', syntax: 'A' },
    use,
    new Trial(),
  );
  if (statement === undefined) throw new Error(`${sql} cannot be read`);
  return uncomparedTables(statement, {
    column: 'tenant',
    hasColumn: (table) => columns[table]?.includes('tenant') ?? true,
    columnsOf: (table) => columns[table],
    isTrusted: ({ kind }) => kind === 'caller',
  }).map(({ table, isWritten }) => (isWritten ? `${table} written` : table));
}

describe('compared', () => {
  test.each([
    `SELECT id FROM project WHERE tenant = ${c}`,
    `SELECT id FROM project WHERE ${c} = Tenant AND name = 'a'`,
    `SELECT id FROM project p WHERE (p.tenant = ${c}::int) AND (name = 'a' OR name = 'b')`,
    `SELECT id FROM project WHERE tenant IN (${c})`,
    `SELECT id FROM country`,
    `SELECT p.id FROM project p JOIN task t ON t.project_id = p.id AND t.tenant = p.tenant WHERE p.tenant = ${c}`,
    `SELECT p.id FROM project p LEFT JOIN task t ON t.project_id = p.id AND t.tenant = p.tenant WHERE p.tenant = ${c}`,
    `SELECT p.id FROM project p LEFT JOIN task t ON t.tenant = ${c} WHERE p.tenant = ${c}`,
    `SELECT p.id FROM project p, country k WHERE tenant = ${c} AND k.id = p.id`,
    `SELECT id FROM project p WHERE tenant = ${c} AND EXISTS (SELECT 1 FROM task t WHERE t.tenant = p.tenant)`,
    `SELECT q.id FROM (SELECT * FROM project) q WHERE q.tenant = ${c}`,
    `SELECT q.id FROM (SELECT id, tenant FROM project) AS q WHERE q.tenant = ${c}`,
    `WITH q AS (SELECT p.id, p.tenant FROM project p) SELECT id FROM q WHERE q.tenant = ${c}`,
    `WITH q AS (SELECT id FROM project WHERE tenant = ${c}) SELECT id FROM q`,
    `SELECT id FROM project WHERE tenant = ${c} UNION SELECT id FROM task WHERE tenant = ${c}`,
    `INSERT INTO project (name, tenant) VALUES ('a', ${c}), ('b', ${c})`,
    `INSERT INTO project VALUES (1, ${c}, 'a')`,
    `INSERT INTO task (project_id, tenant) SELECT id, ${c} FROM project WHERE tenant = ${c}`,
    `INSERT INTO task (project_id, tenant) SELECT id, tenant FROM project WHERE tenant = ${c}`,
    `INSERT INTO project (id, tenant) VALUES (1, ${c}) ON CONFLICT DO NOTHING`,
    `INSERT INTO project (id, tenant) VALUES (1, ${c}) ON CONFLICT (id, tenant) DO UPDATE SET name = 'a'`,
    `UPDATE project SET name = 'a' WHERE id = 1 AND tenant = ${c}`,
    `DELETE FROM project WHERE tenant = ${c}`,
    `DELETE FROM task t USING project p WHERE t.tenant = p.tenant AND p.tenant = ${c}`,
    `SELECT id FROM (SELECT * FROM project) q WHERE tenant = ${c}`,
    `SELECT q.id FROM (SELECT id, tenant FROM project UNION SELECT id, tenant FROM task) q WHERE q.tenant = ${c}`,
    `SELECT q.id FROM (SELECT * FROM project UNION ALL SELECT * FROM project) q WHERE q.tenant = ${c}`,
    `INSERT INTO task (project_id, tenant) (SELECT id, ${c} FROM country UNION SELECT 1, ${c})`,
  ])('%s', (sql) => {
    expect(found(sql)).toEqual([]);
  });
});

describe('not compared', () => {
  test.each([
    ['SELECT id FROM project', ['project']],
    [`SELECT id FROM project WHERE tenant = ${c} OR name = 'a'`, ['project']],
    [`SELECT id FROM project WHERE NOT tenant = ${c}`, ['project']],
    [`SELECT id FROM project WHERE tenant <> ${c}`, ['project']],
    ['SELECT id FROM project WHERE tenant = :[PARAM(tenant)]', ['project']],
    ['SELECT id FROM project WHERE tenant = :[COALESCE(PARAM(tenant), CALLER($.tenant))]', ['project']],
    [`SELECT id FROM project WHERE id = ${c}`, ['project']],
    [`SELECT id FROM project WHERE tenant IN (${c}, 7)`, ['project']],
    [`SELECT p.id FROM project p JOIN task t ON t.project_id = p.id WHERE p.tenant = ${c}`, ['task']],
    [`SELECT p.id FROM project p LEFT JOIN task t ON p.tenant = ${c} WHERE t.tenant = ${c}`, ['project']],
    [`SELECT id FROM country WHERE EXISTS (SELECT 1 FROM task t WHERE t.project_id = country.id)`, ['task']],
    [`SELECT q.id FROM (SELECT id FROM project) q WHERE q.tenant = ${c}`, ['project']],
    [`SELECT q.id FROM (SELECT id, name AS tenant FROM project) q WHERE q.tenant = ${c}`, ['project']],
    [`SELECT q.id FROM (SELECT * FROM project LIMIT 1) q WHERE q.tenant = ${c}`, ['project']],
    [`WITH q AS (SELECT * FROM project) SELECT a.id FROM q a, q b WHERE a.tenant = ${c}`, ['project']],
    [`SELECT id FROM project WHERE tenant = ${c} UNION SELECT id FROM task`, ['task']],
    [`INSERT INTO project (name, tenant) VALUES ('a', ${c}), ('b', 7)`, ['project written']],
    [`INSERT INTO project (name) VALUES ('a')`, ['project written']],
    [`INSERT INTO project (tenant) VALUES (:[BODY($.tenant)])`, ['project written']],
    [`INSERT INTO task (project_id, tenant) SELECT id, tenant FROM project`, ['task written', 'project']],
    [
      `INSERT INTO project (id, tenant) VALUES (1, ${c}) ON CONFLICT (id) DO UPDATE SET name = 'a'`,
      ['project written'],
    ],
    [`UPDATE project SET tenant = 7 WHERE tenant = ${c}`, ['project written']],
    ['UPDATE project SET name = :[BODY($.name)] WHERE id = 1', ['project']],
    ['DELETE FROM project WHERE id = 1', ['project']],
    [`DELETE FROM task t USING project p WHERE t.project_id = p.id AND p.tenant = ${c}`, ['task']],
    [`SELECT name FROM project, task WHERE tenant = ${c}`, ['project', 'task']],
    [
      `SELECT q.id FROM (SELECT id, count(*) OVER w FROM project WINDOW w AS ()) q WHERE q.tenant = ${c}`,
      ['project'],
    ],
    [
      `SELECT q.id FROM (SELECT id, tenant FROM project UNION SELECT tenant, id FROM task) q WHERE q.tenant = ${c}`,
      ['task'],
    ],
    [
      `INSERT INTO task (project_id, tenant) (SELECT id, ${c} FROM country UNION SELECT 1, 2)`,
      ['task written'],
    ],
    [`INSERT INTO task (project_id, tenant) SELECT * FROM project WHERE tenant = ${c}`, ['task written']],
    [`INSERT INTO task (notes[1], tenant) VALUES (${c}, 'a')`, ['task written']],
    [
      `SELECT q.id FROM (SELECT * FROM project UNION SELECT * FROM project LIMIT 1) q WHERE q.tenant = ${c}`,
      ['project', 'project'],
    ],
    [
      `MERGE INTO project p USING task t ON p.id = t.id AND t.tenant = ${c} WHEN MATCHED THEN DELETE`,
      ['project written'],
    ],
    [
      'MERGE INTO project p USING task t ON p.id = t.id WHEN MATCHED THEN DELETE',
      ['project written', 'task'],
    ],
  ])('%s', (sql, tables) => {
    expect(found(sql)).toEqual(tables);
  });

  test('MySQL changes the row of any key', () => {
    const sql = `INSERT INTO project (id, tenant) VALUES (1, ${c}) ON DUPLICATE KEY UPDATE tenant = tenant`;
    expect(found(sql, 'mysql')).toEqual(['project written']);
  });
});
