/** The tables of a PostgreSQL database, by its catalogue. */
import { from, ours, postgresSchema } from './read-postgres-schema.js';
import { tablesOf, type ColumnRow, type DatabaseTables, type KeyRow } from './read-tables.js';
import { textOf, type Server } from './server.js';

const columnsSql = `
  SELECT c.relname::text, quote_ident(c.relname), (c.relkind IN ('v', 'm'))::text, a.attname::text, quote_ident(a.attname),
    a.attnotnull::text, coalesce(pg_get_expr(d.adbin, d.adrelid), ''), a.attidentity::text, a.attgenerated::text,
    format_type(a.atttypid, a.atttypmod)
  FROM ${from}
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE ${ours}
  ORDER BY 1, a.attnum`;

const namesOf = (numbers: string, table: string): string => `coalesce((
    SELECT json_agg(a.attname ORDER BY k.place)::text FROM unnest(k0.${numbers}) WITH ORDINALITY k(number, place)
    JOIN pg_catalog.pg_attribute a ON a.attrelid = k0.${table} AND a.attnum = k.number), '[]')`;

const keysSql = `
  SELECT c.relname::text, k0.contype::text, ${namesOf('conkey', 'conrelid')}, coalesce(o.relname::text, ''),
    ${namesOf('confkey', 'confrelid')}, quote_ident(k0.conname), pg_get_constraintdef(k0.oid)
  FROM ${from} JOIN pg_catalog.pg_constraint k0 ON k0.conrelid = c.oid
  LEFT JOIN pg_catalog.pg_class o ON o.oid = k0.confrelid
  WHERE ${ours} AND k0.contype IN ('p', 'u', 'f', 'c') AND k0.conparentid = 0
  ORDER BY 1, CASE k0.contype WHEN 'p' THEN 0 ELSE 1 END, k0.conname`;

export async function readPostgresTables(server: Server): Promise<DatabaseTables> {
  const columns = (await server.query(columnsSql)).map((row) => row.map(textOf));
  const keys = (await server.query(keysSql)).map((row) => row.map(textOf));
  const rows = columns.map(
    ([
      table = '',
      quotedTable = '',
      isView,
      name = '',
      quoted = '',
      isNotNull,
      expression = '',
      ...more
    ]): ColumnRow => {
      const [identity, generated] = more;
      const isFilled = identity !== '' || generated !== '' || madeByDatabase.test(expression);
      return {
        ...{ table, quotedTable, name, quoted, isFilled },
        isView: isView === 'true',
        isNotNull: isNotNull === 'true',
        default: isFilled || expression === '' ? undefined : expression,
      };
    },
  );
  const keyRows = keys.flatMap(
    ([table = '', kind, names = '[]', otherTable = '', targets = '[]']): KeyRow[] =>
      kind === 'p' || kind === 'f'
        ? [
            {
              ...{ table, otherTable, kind: kind === 'p' ? 'primary' : 'foreign' },
              columns: JSON.parse(names) as string[],
              targets: JSON.parse(targets) as string[],
            },
          ]
        : [],
  );
  return {
    dialect: 'postgresql',
    tables: await tablesOf(server, rows, keyRows),
    schema: await postgresSchema(server, columns, keys),
  };
}

/** Defaults that clients leave to the database: numbers of sequences, random keys, times. */
const madeByDatabase =
  /nextval\(|^\(?(?:now\(\)|CURRENT_TIMESTAMP|LOCALTIMESTAMP|clock_timestamp\(\)|gen_random_uuid\(\)|uuid_generate_)/i;
