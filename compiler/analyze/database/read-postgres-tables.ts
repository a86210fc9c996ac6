/** Reads the tables of a PostgreSQL database from its catalog. */
import { sql } from '../../notation/sql-writer.js';
import { from, postgresCatalogue, postgresSchema, type PostgresColumn } from './read-postgres-schema.js';
import { tablesOf, type ColumnRow, type DatabaseTables, type KeyRow } from './read-tables.js';
import { textOf, type Server } from './server.js';

/** A column of a NOT NULL domain is not null and has the domain's default. Search vectors are computed by a trigger before the change. */
const columnsSql = (ours: string): string => `
  SELECT c.oid::regclass::text, c.relname::text, CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN '' ELSE n.nspname::text END,
    (c.relkind IN ('v', 'm'))::text, a.attname::text, quote_ident(a.attname),
    (a.attnotnull OR (t.typnotnull AND c.relkind IN ('r', 'p')))::text, coalesce(pg_get_expr(d.adbin, d.adrelid), ''),
    coalesce(pg_get_expr(d.adbin, d.adrelid), t.typdefault, ''), a.attidentity::text, a.attgenerated::text, a.attnotnull::text,
    format_type(a.atttypid, a.atttypmod), format_type(coalesce(nullif(t.typbasetype, 0), t.oid), NULL), (t.typbasetype <> 0)::text,
    (t.typname = 'tsvector' AND EXISTS (SELECT FROM pg_catalog.pg_trigger g
      WHERE g.tgrelid = c.oid AND NOT g.tgisinternal AND g.tgtype & 2 = 2 AND g.tgtype & 4 = 4))::text,
    EXISTS (SELECT FROM pg_catalog.pg_rewrite r WHERE r.ev_class = c.oid AND r.ev_type <> '1')::text
  FROM ${from}
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE ${ours}
  ORDER BY NOT pg_catalog.pg_table_is_visible(c.oid), n.nspname, c.relname, a.attnum`;

const namesOf = (numbers: string, table: string): string => `coalesce((
    SELECT json_agg(a.attname ORDER BY k.place)::text FROM unnest(k0.${numbers}) WITH ORDINALITY k(number, place)
    JOIN pg_catalog.pg_attribute a ON a.attrelid = k0.${table} AND a.attnum = k.number), '[]')`;

const keysSql = (ours: string): string => `
  SELECT c.oid::regclass::text, k0.contype::text, ${namesOf('conkey', 'conrelid')}, coalesce(o.oid::regclass::text, ''),
    ${namesOf('confkey', 'confrelid')}, quote_ident(k0.conname), pg_get_constraintdef(k0.oid)
  FROM ${from} JOIN pg_catalog.pg_constraint k0 ON k0.conrelid = c.oid
  LEFT JOIN pg_catalog.pg_class o ON o.oid = k0.confrelid
  WHERE ${ours} AND k0.contype IN ('p', 'u', 'f', 'c') AND k0.conparentid = 0
  ORDER BY n.nspname, c.relname, CASE k0.contype WHEN 'p' THEN 0 ELSE 1 END, k0.conname`;

const kinds = new Map<string, KeyRow['kind']>([
  ['p', 'primary'],
  ['u', 'unique'],
  ['f', 'foreign'],
]);

/** `inPath`: only tables that statements can name without a schema; otherwise the tables of all schemas that the user may use. */
export async function readPostgresTables(server: Server, inPath: boolean): Promise<DatabaseTables> {
  const catalogue = postgresCatalogue(inPath);
  const columns = (await server.query(columnsSql(catalogue.ours))).map((row) => columnOf(row.map(textOf)));
  const keys = (await server.query(keysSql(catalogue.ours))).map((row) => row.map(textOf));
  const keyRows = keys.flatMap(
    ([table = '', type = '', names = '[]', otherTable = '', targets = '[]']): KeyRow[] => {
      const kind = kinds.get(type);
      return kind === undefined
        ? []
        : [
            {
              ...{ table, otherTable, kind },
              columns: JSON.parse(names) as string[],
              targets: JSON.parse(targets) as string[],
            },
          ];
    },
  );
  return {
    dialect: 'postgresql',
    tables: await tablesOf(server, columns, keyRows),
    schema: await postgresSchema(server, catalogue, columns, keys),
  };
}

function columnOf([
  quotedTable = '',
  table = '',
  schema = '',
  isView,
  name = '',
  quoted = '',
  isNotNull,
  ownDefault = '',
  expression = '',
  identity = '',
  generated = '',
  isWrittenNotNull,
  declared = '',
  cast = '',
  isDomain,
  isDerived,
  hasRules,
]: readonly string[]): ColumnRow & PostgresColumn {
  const isFilled =
    identity !== '' || generated !== '' || isDerived === 'true' || madeByDatabase.test(expression);
  return {
    ...{ table, schema, name, isFilled },
    quotedTable: sql.ofCatalogue(quotedTable),
    quoted: sql.ofCatalogue(quoted),
    cast: sql.ofCatalogue(cast),
    isView: isView === 'true',
    isDomain: isDomain === 'true',
    hasRules: hasRules === 'true',
    isNotNull: isNotNull === 'true',
    declared,
    default: isFilled || expression === '' ? undefined : sql.ofCatalogue(expression),
    written: { default: ownDefault, identity, generated, declared, isNotNull: isWrittenNotNull === 'true' },
  };
}

/** Defaults that clients leave to the database: sequence numbers, random keys, times. */
const madeByDatabase =
  /nextval\(|^\(?(?:\w+\.)?(?:now\(\)|CURRENT_TIMESTAMP|LOCALTIMESTAMP|clock_timestamp\(\)|gen_random_uuid\(\)|uuid_generate_|uuidv[47]\()/i;
