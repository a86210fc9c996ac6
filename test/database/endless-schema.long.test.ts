/** A schema statement that never ends is reported as an error of that statement; other statements run, and editors work in the meantime. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DiskCache } from '../../compiler/analyze/database/disk-cache.js';
import { askSchema, type SchemaResults } from '../../compiler/analyze/database/postgres-schema.js';
import { Workspace } from '../commands/workspace.js';
import { atMark, LanguageClient } from '../editor/language-client.js';
import { manyRuns } from '../helpers/runs.js';
import { builtTool } from '../helpers/shared-servers.js';

const space = new Workspace();
const cache = mkdtempSync(join(tmpdir(), 'apikiln-endless-'));

beforeAll(async () => {
  await builtTool();
});

afterAll(() => {
  space.remove();
  rmSync(cache, { recursive: true, force: true });
});

const config = `specification: "1.0"
operations:
  GET /items/{id}:
    fulfillments:
      - name: item
        type: READ
        datasource: database
        instructions:
          - query: SELECT id, title FROM item WHERE id = :[PARAM(id)]
      - name: other
        type: READ
        datasource: database
        instructions:
          - query: SELECT id, max(id) FROM other WHERE id = :[PARAM(id)]
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
          id: VALUE(item, $.id)
          other: VALUE(other, $.id)
datasources:
  database: { type: db, url: "jdbc:postgresql://localhost/x", user: "\${DB_USER}", password: "\${DB_PASSWORD}" }
`;
const loop = 'DO $$ BEGIN LOOP END LOOP; END $$;';
const first = 'CREATE TABLE item (id int PRIMARY KEY, title text NOT NULL);';
const last = 'CREATE TABLE other (id int PRIMARY KEY);';

function ask(schema: string, texts: readonly string[]): Promise<SchemaResults> {
  return askSchema([{ path: 'schema.sql', text: schema }], texts, { files: new DiskCache(undefined) });
}

/** The full run covers other commands and database kinds, because each keeps a core busy for half a minute. */
test('the language server, check and test name the statement, and go on', async () => {
  space.write('config.yaml', config);
  space.write('schema.sql', `${first}\n${loop}\n${last}\n`);
  space.write(
    'config.test.yaml',
    'tests:\n  - name: one\n    request: GET /items/1\n    response: { statuscode: 200 }\n',
  );
  const client = new LanguageClient();
  await client.start();
  const uri = await client.open(space.path('config.yaml'), config);
  const { position } = atMark(config.replace('PARAM(id)', 'PA¦RAM(id)'));
  const hover = (): Promise<unknown> =>
    client.request('textDocument/hover', { textDocument: { uri }, position });
  // The schema is loaded as soon as the file is opened.
  expect(await hover()).not.toBeNull();
  expect(client.published).toEqual([]);
  const found = await client.diagnostics(uri);
  expect(found.map(({ code }) => code)).toEqual(['sql-refused']);
  expect(await hover()).not.toBeNull();
  expect((await client.stop()).status).toBe(0);

  if (!manyRuns) return;
  const { status, stdout, stderr } = await space.run('check');
  const printed = stdout + stderr;
  expect(status).toBe(1);
  expect(printed).toContain('schema.sql:2:1: error');
  expect(printed).toContain('it takes longer than 10 seconds');
  // Other statements are still checked.
  expect(printed).toContain('[sql-refused]');
  expect(printed).not.toContain('[unknown-table]');

  space.write('config.yaml', config.replace('id, max(id)', 'id'));
  const tested = await space.run('test', '--warn', 'schema-refused');
  expect(tested.stdout + tested.stderr).toMatch(/[✓✗] one/);
}, 600_000);

const endless = [
  'INSERT INTO item SELECT g, repeat($$x$$, 100) FROM generate_series(1, 1000000000) g;',
  'CREATE TABLE r AS WITH RECURSIVE r(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM r) SELECT a FROM r;',
  'SELECT pg_sleep(1000);',
  `CREATE TABLE m AS SELECT array_agg(repeat('x', 10000) || g) FROM generate_series(1, 100000000) g;`,
  `CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS 'BEGIN LOOP END LOOP; END'; ALTER TABLE item ADD a int DEFAULT f(); INSERT INTO item VALUES (1, 'a');`,
];

test.runIf(manyRuns).each(endless)(
  '%s',
  async (statement) => {
    const { errors, results } = await ask(`${first}\n${statement}\n${last}`, ['SELECT id FROM other']);
    expect(errors).toMatchObject([{ message: 'it takes longer than 10 seconds', isLack: false }]);
    expect(errors[0]?.start).toBeGreaterThan(first.length);
    expect(results.get('SELECT id FROM other')).toHaveProperty('description');
  },
  600_000,
);

test.runIf(manyRuns)(
  'after three of them the rest is not run',
  async () => {
    const { errors, tables } = await ask(
      [first, loop, last, loop, loop, loop, 'CREATE TABLE rest ();'].join('\n'),
      [],
    );
    expect(errors.map(({ message }) => message)).toEqual([
      'it takes longer than 10 seconds',
      'it takes longer than 10 seconds',
      'it takes longer than 10 seconds; the following statements were not executed',
    ]);
    expect(tables.map(({ name }) => name)).toEqual(['item', 'other']);
  },
  600_000,
);

test.runIf(manyRuns)(
  'a statement of the configuration in which the comparison of a type does not end is refused',
  async () => {
    const schema = `${first}
CREATE TYPE c AS (a int);
CREATE FUNCTION lt(c, c) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE FUNCTION cmp(c, c) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN LOOP END LOOP; END';
CREATE OPERATOR <! (leftarg = c, rightarg = c, function = lt);
CREATE OPERATOR CLASS endless FOR TYPE c USING btree AS OPERATOR 1 <!, FUNCTION 1 cmp(c, c);
CREATE TYPE r AS RANGE (subtype = c, subtype_opclass = endless);`;
    const text = `SELECT '["(1)","(2)"]'::r`;
    const { errors, results } = await ask(schema, ['SELECT id FROM item', text]);
    expect(errors).toEqual([]);
    expect(results.get(text)).toMatchObject({ refusal: { message: 'it takes longer than 10 seconds' } });
    expect(results.get('SELECT id FROM item')).toHaveProperty('description');
  },
  600_000,
);
