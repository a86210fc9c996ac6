/** Statements that the server would refuse only later: the next page of an ordered list, or a value compared with a row. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { Workspace } from '../commands/workspace.js';

let space: Workspace;

beforeAll(() => {
  space = new Workspace();
  space.write(
    'schema.sql',
    `CREATE TYPE mood AS ENUM ('calm', 'wild');
    CREATE DOMAIN feeling AS mood;
    CREATE TYPE pair AS (a int, b text);
    CREATE TABLE person (id int PRIMARY KEY, feeling feeling NOT NULL, mood mood, place pair);`,
  );
});

afterAll(() => {
  space.remove();
});

async function errorsOf(query: string, more: object = {}): Promise<string[]> {
  const step = { name: 'rows', type: 'READ', datasource: 'db', ...more, instructions: [{ query }] };
  const responses = [{ name: 'ok', default: true, statuscode: 200, schema: { rows: 'VALUE(rows, $)' } }];
  const datasources = { db: { type: 'db', url: 'jdbc:postgresql://localhost/a' } };
  const operations = { 'POST /rows': { fulfillments: [step], responses } };
  space.write('config.yaml', stringify({ specification: '1.0', operations, datasources }));
  const { stderr } = await space.run('check');
  return [...stderr.matchAll(/ error (.*)\n[^]*?\n {2}(\S.*)\n(?:\n|$)/g)].map(
    ([, message, hint]) => `${message ?? ''} ${hint ?? ''}`,
  );
}

const page = { limit: 'QUERY(limit)', max: 10, after: 'QUERY(after)' };

test('an order by a domain over an enum has a first page, and no next one', async () => {
  const query = 'SELECT id, feeling, mood FROM person WHERE id > :[BODY($.id)]';
  const allow = { id: 'id', mood: 'mood', '-feeling': 'feeling DESC', feeling: 'feeling' };
  const order = { by: 'QUERY(sort)', default: 'id', allow, key: 'id' };
  expect(await errorsOf(query, { order, page })).toEqual([
    "Rows cannot be ordered by 'feeling', which is of type mood. [order-column-type] The database refuses the order or its next page: operator does not exist: feeling < unknown. Select it with a cast and another name.",
  ]);
  expect(await errorsOf(query, { order })).toEqual([]);
  const cast = query.replace('feeling', 'feeling::mood AS feeling');
  expect(await errorsOf(cast, { order, page })).toEqual([]);
});

test('a value next to a composite column', async () => {
  expect(await errorsOf('SELECT id FROM person WHERE place = :[BODY($.place)]')).toEqual([
    'PostgreSQL cannot determine the type of this value next to a row. [sql-needs-cast] Write :[BODY($.place)]::TYPE with the type of the row.',
  ]);
  expect(await errorsOf('SELECT id FROM person WHERE place = :[BODY($.place)]::pair')).toEqual([]);
});

test('the hint for an operator that a type does not have', async () => {
  const [error] = await errorsOf('SELECT id FROM person WHERE feeling = :[BODY($.feeling)]');
  expect(error).toContain('PostgreSQL has no = for feeling: cast that side to another type');
  expect(await errorsOf('SELECT id FROM person WHERE feeling::mood = :[BODY($.feeling)]')).toEqual([]);
});

test.each([
  ["WITH new AS (INSERT INTO person VALUES (1, 'calm') RETURNING id) SELECT id FROM new", true],
  ['SET LOCAL statement_timeout = 100', true],
  ['SELECT 1 AS one INTO other', false],
  ['SET LOCAL search_path = elsewhere', false],
])('after %s, a name of the schema can be wrong: %s', async (statement, isChecked) => {
  const step = (name: string, type: string, query: string) => ({
    ...{ name, type, datasource: 'db', instructions: [{ query }] },
  });
  const responses = [{ name: 'ok', default: true, statuscode: 204 }];
  const operations = {
    'POST /first': { transaction: true, fulfillments: [step('first', 'UPDATE', statement)], responses },
    'POST /second': { fulfillments: [step('second', 'UPDATE', 'UPDATE person SET mod = NULL')], responses },
  };
  const datasources = { db: { type: 'db', url: 'jdbc:postgresql://localhost/a' } };
  space.write('config.yaml', stringify({ specification: '1.0', operations, datasources }));
  const { stderr } = await space.run('check');
  expect(/column "mod" .* does not exist/.test(stderr), stderr).toBe(isChecked);
});
