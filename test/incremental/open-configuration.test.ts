/** A configuration open in an editor: positions are correct regardless of earlier requests and of the text that they were about. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { OpenConfiguration } from '../../compiler/tools/commands/lsp/open-configuration.js';
import { sameAs } from '../../compiler/tools/editor/occurrences.js';
import { manyOperations } from '../bench/configs/many.js';
import { repository } from '../helpers/service-fixture.js';

const first = manyOperations(5);
const second = `# a line above\n${manyOperations(5, 'Another message, which is longer')}`;

test('names are found in the text that is asked for, in whatever order', async () => {
  const path = join(repository, 'test/incremental/config.yaml');
  const open = new OpenConfiguration(path, () => undefined);
  /** The text at each reference to the datasource. */
  const found = (text: string): Promise<string[]> =>
    open.whole({ path, text }, ({ analysis, source }) => {
      const spans = analysis === undefined ? [] : sameAs(analysis, source, text.lastIndexOf('newsdb:') + 1);
      return spans.map(({ span }) => text.slice(span.start, span.end));
    });
  const all = Array.from({ length: 11 }, () => 'newsdb');
  expect(await found(first)).toEqual(all);
  await open.diagnostics({ path, text: first });
  expect(await found(first)).toEqual(all);
  await open.diagnostics({ path, text: second });
  expect(await found(first)).toEqual(all);
  expect(
    await Promise.all([found(second), open.diagnostics({ path, text: first }), found(first), found(second)]),
  ).toEqual([all, [], all, all]);
});

describe('the tables of the schema are known', () => {
  const folder = mkdtempSync(join(tmpdir(), 'apikiln-open-'));
  const path = join(folder, 'config.yaml');
  const text = `specification: '1.0'
operations:
  GET /orders:
    fulfillments:
      - name: orders
        type: READ
        datasource: db
        instructions:
          - query: SELECT id, state FROM orders
        order: { by: QUERY(sort), allow: { up: id }, default: up, key: id }
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
          orders: VALUE(orders, $)
  GET /state/{id}:
    fulfillments:
      - name: one
        type: READ
        datasource: db
        instructions:
          - query: SELECT state FROM orders WHERE id = :[PARAM(id)]
        exceptions:
          - { if: 'VALUE(one, $.state) == TEXT(opened)', statuscode: 409, message: Opened }
    responses:
      - name: ok
        default: true
        statuscode: 204
datasources:
  db:
    type: db
    url: jdbc:postgresql://localhost/db
`;
  writeFileSync(
    join(folder, 'schema.sql'),
    "CREATE TABLE orders (id int PRIMARY KEY, state text NOT NULL CHECK (state IN ('open', 'paid')));",
  );
  const open = new OpenConfiguration(path, () => undefined);
  const codesOf = async (edited: string): Promise<string[]> =>
    (await open.diagnostics({ path, text: edited })).map(({ code }) => code);

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    ['as it is', text],
    ['with a comment', `${text}# a comment\n`],
    ['with another operation', text.replace('statuscode: 204', 'statuscode: 200')],
  ])('%s', async (_, edited) => {
    expect(await codesOf(edited)).toEqual(['never-true']);
  });

  test.each([
    ['a quote', text.replace("{ if: 'VALUE", '{ if: "VALUE')],
    ['a bracket', text.replace('message: Opened }', 'message: Opened')],
    ['a line without its colon', text.replace('statuscode: 204', 'statuscode')],
    [
      'a tab',
      text.replace(
        '        default: true\n        statuscode: 204',
        '\tdefault: true\n        statuscode: 204',
      ),
    ],
  ])('while YAML is broken elsewhere: %s', async (_, edited) => {
    expect(await codesOf(edited)).not.toContain('order-key');
  });
});
