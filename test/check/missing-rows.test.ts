/** The exceptions that `missing-row` suggests for rows that may be missing: after they are added, nothing is reported. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkWithDatabases } from '../../compiler/compile.js';
import { withEdits } from '../../compiler/read/diagnostics/apply-fixes.js';
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import { schemasOf } from '../../compiler/tools/commands/shared/files/find-schemas.js';
import { repository } from '../helpers/service-fixture.js';

const folderOf = (name: string): string => join(repository, 'fixtures/errors', name);

async function diagnosticsOf(
  text: string,
  isDescribed: boolean,
  folder = folderOf('missing-row'),
): Promise<readonly Diagnostic[]> {
  const described = {
    source: { path: 'openapi.yaml', text: readFileSync(join(folder, 'openapi.yaml'), 'utf8') },
    read: () => undefined,
  };
  const input = { config: { path: 'config.yaml', text }, ...(isDescribed ? { description: described } : {}) };
  const databases = schemasOf({}, { config: join(folder, 'config.yaml'), folder });
  return (await checkWithDatabases(input, databases)).diagnostics;
}

const textIn = (folder: string): string => readFileSync(join(folder, 'config.yaml'), 'utf8');
const text = textIn(folderOf('missing-row'));

test.each([
  ['with a description', text, true, 2],
  ['without a description', text, false, 1],
  ['without a conflict', text.replace(' ON CONFLICT DO NOTHING', ''), true, 1],
])('%s', async (_, config, isDescribed, count) => {
  const isFixed = ({ code, fix }: Diagnostic): boolean => code === 'missing-row' && fix !== undefined;
  const edits = (await diagnosticsOf(config, isDescribed)).filter(isFixed).map(({ fix }) => fix?.edits ?? []);
  expect(edits).toHaveLength(count);
  const after = await diagnosticsOf(withEdits(config, edits.flat()), isDescribed);
  expect(after.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(after.filter(isFixed)).toEqual([]);
});

test.each([
  ['many-mapped-rows', 2],
  ['many-missing-rows', 3],
])('of mappings, several statements and loops: %s', async (name, count) => {
  const config = textIn(folderOf(name));
  const found = async (text: string): Promise<readonly Diagnostic[]> =>
    (await diagnosticsOf(text, true, folderOf(name))).filter(({ code }) => code === 'missing-row');
  const edits = (await found(config)).map(({ fix }) => fix?.edits ?? []);
  expect(edits.filter(({ length }) => length > 0)).toHaveLength(count);
  expect(await found(withEdits(config, edits.flat()))).toEqual([]);
});

test('a row that the operation has inserted before is there', async () => {
  const config = `specification: "1.0"
operations:
  POST /states:
    fulfillments:
      - { name: made, type: UPDATE, datasource: shop, instructions: [{ query: "INSERT INTO orders (id, state) VALUES (:[BODY($.id)], 'open')" }] }
      - { name: row, type: READ, datasource: shop, instructions: [{ query: "SELECT id FROM orders WHERE id = :[BODY($.id)]" }] }
    responses: [{ name: ok, default: true, statuscode: 201, schema: { id: 'VALUE(row, $.id)' } }]
datasources:
  shop: { type: db, url: "jdbc:postgresql://localhost:5432/shop" }
`;
  const found = async (text: string): Promise<string[]> =>
    (await diagnosticsOf(text, true)).map(({ code }) => code).filter((code) => code === 'missing-row');
  expect(await found(config)).toEqual([]);
  expect(await found(config.replace('INSERT INTO orders', 'INSERT INTO other'))).toEqual(['missing-row']);
});

test.each([
  ['SELECT count(*) AS id FROM orders WHERE starts_with(state::text, :[BODY($.state)])', []],
  ['SELECT count(*) AS id FROM generate_series(1, 3) AS n WHERE n > length(:[BODY($.state)])', []],
  ['SELECT id FROM orders WHERE starts_with(state::text, :[BODY($.state)])', ['missing-row']],
  [
    'SELECT count(*) AS id FROM orders WHERE starts_with(state::text, :[BODY($.state)]) GROUP BY state',
    ['missing-row'],
  ],
])('an aggregate has a row, whatever functions its conditions call: %s', async (query, expected) => {
  const config = `specification: "1.0"
operations:
  POST /states:
    fulfillments:
      - { name: row, type: READ, datasource: shop, instructions: [{ query: "${query}" }] }
    responses: [{ name: ok, default: true, statuscode: 201, schema: { id: 'VALUE(row, $.id)' } }]
datasources:
  shop: { type: db, url: "jdbc:postgresql://localhost:5432/shop" }
`;
  const found = (await diagnosticsOf(config, true)).map(({ code }) => code);
  expect(found.filter((code) => code === 'missing-row')).toEqual(expected);
});
