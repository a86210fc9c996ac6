/** Result columns that identify each row: the rule for the key of a paged list. */
import { describe, expect, test } from 'vitest';
import { repeatedRows, type KeyedTable } from '../../compiler/read/sql/facts/unique-rows.js';
import { readSql } from '../../compiler/read/sql/statement.js';
import { Trial } from '../../compiler/read/diagnostics/trial.js';
import { wholeText } from '../../compiler/read/source.js';

const tables: Readonly<Record<string, KeyedTable>> = {
  project: { columns: ['id', 'code', 'name'], keys: [['id'], ['code']] },
  task: { columns: ['id', 'project_id', 'number', 'title'], keys: [['id'], ['project_id', 'number']] },
  'app.log': { columns: ['entry', 'at'], keys: [['entry']] },
  note: { columns: ['body'], keys: [] },
};

function problem(sql: string, columns: string): string | undefined {
  const form = { kind: 'query', syntax: 'A' } as const;
  const { statement } = readSql(wholeText('query', sql), 'postgresql', form, 'READ', new Trial());
  if (statement === undefined) throw new Error(`${sql} cannot be read`);
  return repeatedRows(statement, columns.split(' '), (name) => tables[name]);
}

describe('apart', () => {
  test.each([
    ['select * from project', 'id'],
    ['select id as number from project', 'number'],
    ['select p.* from project p', 'code'],
    ['select entry from app.log', 'entry'],
    ['select l.entry from app.log l', 'entry'],
    ['select project_id, number from task', 'project_id number'],
    ['select number from task where project_id = :[PARAM(project)]', 'number'],
    ['select t.id, p.name from task t join project p on p.id = t.project_id', 'id'],
    ['select t.id from task t join project p on p.id = t.project_id + 1', 'id'],
    ['select t.id, p.id as pid from task t cross join project p', 'id pid'],
    ['select name, count(*) from project group by name', 'name'],
    ['select name as n from project group by (n)', 'n'],
  ])('%s by %s', (sql, columns) => {
    expect(problem(sql, columns)).toBeUndefined();
  });
});

describe('perhaps alike', () => {
  test.each([
    ['select id from project union all select id from task', 'id', 'several queries give the rows'],
    ['select name from project', 'name', 'no unique key of a table consists of them'],
    ['select id from project', 'code', 'no unique key of a table consists of them'],
    ['select upper(code) as code from project', 'code', 'no unique key of a table consists of them'],
    ['select body from note', 'body', 'no unique key of a table consists of them'],
    ['select number from task where project_id = id', 'number', 'no unique key of a table consists of them'],
    ['select number from task where 1 = 1', 'number', 'no unique key of a table consists of them'],
    ['select number from task where done', 'number', 'no unique key of a table consists of them'],
    ['select number from task where lower(title) = 1', 'number', 'no unique key of a table consists of them'],
    ['select name, title from task group by name, title', 'name', 'GROUP BY has other columns'],
    ['select max(name) from project group by lower(name)', 'max', 'GROUP BY has other columns'],
    ['select q.id from (select id from project) q', 'id', 'a query in FROM has no key'],
    ['select id from unknown', 'id', "'unknown' is no table whose keys are known"],
    ['select id from other.unknown', 'id', "'unknown' is no table whose keys are known"],
    ['select t.id from task t cross join project p', 'id', "the join with 'p' may repeat a row"],
    ['select t.id from task t join project p on p.id = x.id', 'id', "the join with 'p' may repeat a row"],
    ['select t.id from task t join project p on p.id = id', 'id', "the join with 'p' may repeat a row"],
    ['select t.id from task t join project p on p.id = title', 'id', undefined],
    [
      'select t.id from task t join project p on p.id = (select max(id) from project)',
      'id',
      "the join with 'p' may repeat a row",
    ],
  ])('%s by %s', (sql, columns, expected) => {
    expect(problem(sql, columns)).toBe(expected);
  });
});
