/** The schema written by `init --from-database`: its order allows loading, and statements that only the server can load are included. */
import { expect, test } from 'vitest';
import { DiskCache } from '../../compiler/analyze/database/disk-cache.js';
import type { SchemaObject } from '../../compiler/analyze/database/read-tables.js';
import { loadableSchema, schemaText } from '../../compiler/tools/init/tables/loadable-schema.js';

const table = (name: string, column: string): SchemaObject => ({
  ...{ kind: 'table', name, sql: `CREATE TABLE ${name} (at ${column});` },
});

test('objects of an extension follow it, and nothing is omitted', async () => {
  const extension: SchemaObject = { kind: 'extension', name: 'maps', sql: 'CREATE EXTENSION maps;' };
  const { objects, leftOut } = await loadableSchema(
    [table('place', 'map_point'), extension, table('note', 'date')],
    new DiskCache(undefined),
  );
  expect(schemaText(objects)).toBe(
    'CREATE EXTENSION maps;\n\nCREATE TABLE note (at date);\n\nCREATE TABLE place (at map_point);\n',
  );
  expect(leftOut).toEqual([]);
});

test('without such an extension a table of no known type is left out, with the reason', async () => {
  const { objects, leftOut } = await loadableSchema(
    [table('place', 'map_point'), table('note', 'date')],
    new DiskCache(undefined),
  );
  expect(objects).toEqual([table('note', 'date')]);
  expect(leftOut).toEqual([{ kind: 'table', name: 'place', reason: 'type "map_point" does not exist' }]);
});
