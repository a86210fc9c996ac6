/** Lists whose items are all columns of their rows: rows are sent unchanged only if they certainly have no other columns. */
import { describe, expect, test } from 'vitest';
import { compile } from '../../compiler/compile.js';
import { SchemaDatabases } from '../../compiler/analyze/database/schema-databases.js';
import { assets, compileText, textOf } from './compile-text.js';

/** A configuration that lists these columns of the statement's rows. */
function configuration(query: string, columns: readonly string[], type = 'READ'): string {
  return JSON.stringify({
    specification: '1.0',
    operations: {
      'POST /a': {
        fulfillments: [{ name: 'a', type, datasource: 'db', instructions: [{ query }] }],
        responses: [
          {
            ...{ name: 'ok', default: true, statuscode: 200 },
            schema: {
              list: 'VALUE(a, $)',
              item: Object.fromEntries(columns.map((column) => [column, `VALUE(@, $.${column})`])),
            },
          },
        ],
      },
    },
    datasources: { db: { type: 'db', url: 'jdbc:postgresql://localhost/x' } },
  });
}

/** Whether the handler sends rows unchanged: `jsonRows` without fields, or the rows of a change. */
function sendsRows(handler: string): boolean {
  if (handler.includes('jsonRows(')) return handler.includes('await jsonRows(selectA, call);');
  return handler.includes('reply(200, a)');
}

describe('without a schema', () => {
  const isWhole = async (query: string, columns: readonly string[]): Promise<boolean> => {
    const { files = [] } = await compileText(configuration(query, columns));
    return sendsRows(textOf(files, 'src/operations/post-a.ts'));
  };

  test('columns that the statement lists', async () => {
    expect(await isWhole('SELECT id, title FROM account', ['id', 'title'])).toBe(true);
    expect(await isWhole('SELECT id, lock, title FROM account', ['id', 'lock', 'title'])).toBe(true);
  });

  test.each([
    ['another order', 'SELECT title, id FROM account'],
    ['one more column', 'SELECT id, title, secret FROM account'],
    ['a column named like a keyword of other databases', 'SELECT id, title, lock, secret FROM account'],
    ['the same without a comma before it', 'SELECT id, title, x.minus procedure, secret FROM account AS x'],
    ['all columns of a row in addition', 'SELECT id, title, (account).* AS title FROM account'],
  ])('%s', async (_, query) => {
    expect(await isWhole(query, ['id', 'title'])).toBe(false);
  });

  test('a name that PostgreSQL cuts', async () => {
    const name = 'a'.repeat(64);
    expect(await isWhole(`SELECT id AS ${name} FROM account`, [name])).toBe(false);
    expect(await isWhole(`SELECT id AS ${name.slice(1)} FROM account`, [name.slice(1)])).toBe(true);
  });
});

describe('with a schema', () => {
  const sources = [{ path: 'schema.sql', text: 'CREATE TABLE account (id int PRIMARY KEY, title text)' }];
  const databases = new SchemaDatabases(() => ({ kind: 'schema', sources }));
  const isWhole = async (query: string, type?: string): Promise<boolean> => {
    const text = configuration(query, ['id', 'title'], type);
    const { files = [] } = await compile(
      { config: { path: 'config.yaml', text } },
      assets,
      undefined,
      databases,
    );
    return sendsRows(textOf(files, 'src/operations/post-a.ts'));
  };

  test('columns that the statement lists', async () => {
    expect(await isWhole('SELECT id, title FROM account')).toBe(true);
  });

  // A column added to a table later must not become public.
  test.each([
    ['SELECT * FROM account'],
    ['SELECT x.* FROM (TABLE account) AS x'],
    ['TABLE account'],
    ["INSERT INTO account VALUES (1, 'a')", 'UPDATE'],
    ["INSERT INTO account VALUES (1, 'a') RETURNING *", 'UPDATE'],
  ])('%s', async (query, type?: string) => {
    expect(await isWhole(query, type)).toBe(false);
  });
});
