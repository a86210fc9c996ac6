/** Columns for fields of an API description: both databases accept their types and defaults. */
import { expect, test } from 'vitest';
import { columnTypeOf, defaultOf } from '../../compiler/tools/init/described/described-column.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { schemaOf } from './schema-of.js';

const schemas: readonly (readonly [object, postgresql: string, mysql: string])[] = [
  [{ type: 'string' }, "text ''", "text ('')"],
  [{ type: 'string', maxLength: 20 }, "varchar(20) ''", "varchar(20) ''"],
  [{ type: 'string', enum: ['new', "it's", 'a\\'] }, "text 'new'", "varchar(255) 'new'"],
  [{ type: 'string', default: "it's a\\" }, "text 'it''s a\\'", "text 'it''s a\\\\'"],
  [{ type: 'string', format: 'date' }, 'date current_date', 'date (current_date)'],
  [{ type: 'string', format: 'date-time' }, 'timestamptz now()', 'timestamp current_timestamp'],
  [{ type: 'string', format: 'uuid' }, 'uuid gen_random_uuid()', 'char(36) (uuid())'],
  [{ type: 'string', format: 'byte' }, "bytea ''", "longblob ('')"],
  [{ type: 'integer' }, 'integer 0', 'integer 0'],
  [{ type: 'integer', format: 'int64', default: 3 }, 'bigint 3', 'bigint 3'],
  [{ type: 'number' }, 'numeric 0', 'double 0'],
  [{ type: 'number', format: 'double' }, 'double precision 0', 'double 0'],
  [{ type: 'boolean' }, 'boolean false', 'boolean false'],
  [{ type: 'boolean', default: true }, 'boolean true', 'boolean true'],
  [{ type: 'array', items: { type: 'string' } }, "text[] '{}'", "json ('[]')"],
  [{ type: 'array', items: { type: 'object' } }, "jsonb '[]'", "json ('[]')"],
  [{ type: 'object' }, "jsonb '{}'", "json ('{}')"],
  [{}, "jsonb '{}'", "json ('{}')"],
];

test.each(schemas)('%j', (written, postgresql, mysql) => {
  const schema = schemaOf(written);
  const columns = (['postgresql', 'mysql'] as const).map(
    (dialect) => `${columnTypeOf(schema, dialect).sql} ${defaultOf(schema, dialect)}`,
  );
  expect(columns).toEqual([postgresql, mysql]);
});

test.each([
  ['postgresql', sharedPostgres, 'INSERT INTO made DEFAULT VALUES'],
  ['mysql', sharedMariadb, 'INSERT INTO made () VALUES ()'],
] as const)('%s takes all of them', async (dialect, start, insert) => {
  const server = await start();
  await server.createDatabase('described_columns');
  const columns = schemas.map(([written], index) => {
    const schema = schemaOf(written);
    return `c${index} ${columnTypeOf(schema, dialect).sql} NOT NULL DEFAULT ${defaultOf(schema, dialect)}`;
  });
  await server.exec('described_columns', `CREATE TABLE made (${columns.join(', ')}); ${insert}`);
  const rows = await server.exec('described_columns', 'SELECT * FROM made');
  expect(rows.map((row) => Object.values(row).length)).toEqual([schemas.length]);
});
