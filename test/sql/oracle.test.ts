/** Compares the tree with PostgreSQL's own parser and with MariaDB: valid SQL is accepted, and all tables and columns are found. */
import fc from 'fast-check';
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keywords } from '../../compiler/read/sql/lexer/sql-keywords.js';
import { everyOf, runs } from '../helpers/runs.js';
import { sharedMariadb } from '../helpers/shared-servers.js';
import { anyStatement } from './any-statement.js';
import { refusals, shownBy, shownByPostgres } from './tree.js';

/** Words omitted from the keyword list, because they are names much more often. */
const names = [
  'ID',
  'NAME',
  'TYPE',
  'STATUS',
  'VALUE',
  'WITHIN',
  'DATA',
  'LABEL',
  'LEVEL',
  'KIND',
  'STATE',
  'A1',
];
const words = [...new Set([...keywords, ...names])]
  .filter((word) => /^[A-Z_]/.test(word))
  .map((word) => word.toLowerCase());

/** Statements with a keyword as a name. */
const templates: readonly ((word: string) => string)[] = [
  (word) => `SELECT ${word} FROM item`,
  (word) => `SELECT id, ${word}, title FROM item WHERE ${word} = 1`,
  (word) => `SELECT item.${word} FROM item ORDER BY ${word} DESC LIMIT 1`,
  (word) => `SELECT id AS ${word}, title FROM item`,
  (word) => `SELECT id ${word}, title FROM item`,
  (word) => `SELECT ${word}.id FROM item AS ${word} JOIN other ON ${word}.id = other.id`,
  (word) => `SELECT a.id FROM ${word} a LEFT JOIN other USING (id)`,
  (word) => `WITH ${word} AS (SELECT id FROM item) SELECT id FROM ${word}`,
  (word) => `INSERT INTO item (id, ${word}) SELECT other.id, ${word} FROM other, third WHERE other.id = 1`,
  (word) => `UPDATE item SET ${word} = 1, title = 'a' WHERE ${word} IS NULL`,
  (word) => `DELETE FROM ${word} WHERE id IN (SELECT id FROM item)`,
  (word) => `SELECT count(${word}) FROM item GROUP BY ${word} HAVING max(${word}) > 1`,
];

/** Each template with its statements. The quick run uses a part of the words, a different one for each template. */
const cases = templates.map((template, index) => {
  const some = words.filter((_, at) => (at + index) % everyOf(3) === 0);
  return [template('…'), some.map(template)] as const;
});
const fewest = 300 / everyOf(3);

describe('PostgreSQL', () => {
  test.each(cases)('%s', async (_, statements) => {
    let accepted = 0;
    for (const sql of statements) {
      const wanted = await shownByPostgres(sql);
      if (wanted === undefined) continue;
      accepted += 1;
      const { tables, columns } = shownBy(sql, 'postgresql');
      const known = wanted.columns.map((column, index) => column ?? columns[index]);
      expect({ sql, tables, columns }).toEqual({ sql, tables: wanted.tables, columns: known });
      if (!isLikelyMeant(sql))
        expect({ sql, refused: refusals(sql, 'postgresql') }).toEqual({ sql, refused: [] });
    }
    expect(accepted).toBeGreaterThan(fewest);
  });

  test('statements of a random grammar', async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(anyStatement('postgresql'), async (sql) => {
        const wanted = await shownByPostgres(sql);
        if (wanted === undefined) return;
        accepted += 1;
        const { tables, columns } = shownBy(sql, 'postgresql');
        const known = wanted.columns.map((column, index) => column ?? columns[index]);
        expect({ sql, tables, columns }).toEqual({ sql, tables: wanted.tables, columns: known });
      }),
      { numRuns: runs(75, 20_000) },
    );
    expect(accepted).toBeGreaterThan(runs(38, 10_000));
  });
});

describe('MariaDB', () => {
  let connection: mysql.Connection;
  beforeAll(async () => {
    const server = await sharedMariadb();
    await server.createDatabase('tree_oracle');
    const { host, port, user, password } = server;
    connection = await mysql.createConnection({ host, port, user, password, database: 'tree_oracle' });
  });
  afterAll(() => connection.end());

  test.each(cases)('%s', async (_, statements) => {
    let accepted = 0;
    for (const sql of statements) {
      if (!(await isValid(connection, sql))) continue;
      accepted += 1;
      const { tables } = shownBy(sql, 'mysql');
      expect({ sql, tables }).toEqual({ sql, tables: tablesIn(sql) });
      expect({ sql, refused: refusals(sql, 'mysql') }).toEqual({ sql, refused: [] });
    }
    expect(accepted).toBeGreaterThan(fewest);
  });
});

/** `SELECT id select, title` is valid, but more likely a mistake. */
function isLikelyMeant(sql: string): boolean {
  return sql === 'SELECT id select, title FROM item';
}

/** Whether the server reports only unknown tables or columns: PREPARE checks the syntax first. */
async function isValid(connection: mysql.Connection, sql: string): Promise<boolean> {
  try {
    await connection.query(`PREPARE one FROM ${mysql.escape(sql)}`);
    return true;
  } catch (error) {
    return error instanceof Error && 'errno' in error && (error.errno === 1146 || error.errno === 1054);
  }
}

/** The table names in a statement made from a template. */
function tablesIn(sql: string): string[] {
  const queries = new Set([...sql.matchAll(/WITH (\w+) AS/g)].map(([, name]) => name));
  const lists = [...sql.matchAll(/(?:FROM|JOIN|INTO|UPDATE) (\w+)(?: \w+)?(?:, (\w+))?/g)].flatMap(
    ([, one, other]) => [one, other],
  );
  return [...new Set(lists)]
    .filter((name) => name !== undefined && !queries.has(name))
    .map(String)
    .sort();
}
