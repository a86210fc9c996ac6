/** The tables of a PostgreSQL database, by its catalogue. */
import { tablesOf, type ColumnRow, type DatabaseTables, type KeyRow } from './read-tables.js';
import { textOf, type Server } from './server.js';

/** Visible without a schema's name, and neither of the system, of an extension nor a part of a partitioned table. */
const ours = `c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition AND pg_catalog.pg_table_is_visible(c.oid)
  AND n.nspname NOT IN ('pg_catalog', 'information_schema')
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')`;
const from = 'pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace';

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

const typesSql = `
  SELECT format('CREATE TYPE %I AS ENUM (%s);', t.typname,
    (SELECT string_agg(quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder) FROM pg_catalog.pg_enum e WHERE e.enumtypid = t.oid))
  FROM pg_catalog.pg_type t WHERE t.typtype = 'e' AND pg_catalog.pg_type_is_visible(t.oid)
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = t.oid AND d.deptype = 'e')
  ORDER BY t.typname`;

/** Domains and composite types, which may be made of each other. */
const derivedTypesSql = `
  SELECT CASE t.typtype WHEN 'c' THEN format('CREATE TYPE %I AS (%s);', t.typname,
    (SELECT string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum)
     FROM pg_catalog.pg_attribute a WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped))
  ELSE format('CREATE DOMAIN %I AS %s%s%s%s;', t.typname, format_type(t.typbasetype, t.typtypmod),
    coalesce(' DEFAULT ' || t.typdefault, ''), CASE WHEN t.typnotnull THEN ' NOT NULL' ELSE '' END,
    coalesce((SELECT string_agg(' ' || pg_get_constraintdef(k.oid), '') FROM pg_catalog.pg_constraint k
              WHERE k.contypid = t.oid AND k.contype = 'c'), '')) END
  FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
  LEFT JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
  WHERE (t.typtype = 'd' OR c.relkind = 'c') AND pg_catalog.pg_type_is_visible(t.oid) AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = t.oid AND d.deptype = 'e')
  ORDER BY t.oid`;

const sequencesSql = `
  SELECT format('CREATE SEQUENCE %I;', c.relname) FROM ${from}
  WHERE c.relkind = 'S' AND pg_catalog.pg_table_is_visible(c.oid) AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('i', 'e'))
  ORDER BY c.relname`;

const viewsSql = `
  SELECT format(E'CREATE %s %I AS\\n%s', CASE c.relkind WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'VIEW' END, c.relname,
    pg_get_viewdef(c.oid, true))
  FROM ${from} WHERE c.relkind IN ('v', 'm') AND ${ours} ORDER BY c.oid`;

const extensionsSql = `
  SELECT format('CREATE EXTENSION IF NOT EXISTS %I;', extname) FROM pg_catalog.pg_extension WHERE extname <> 'plpgsql' ORDER BY 1`;

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
    schema: await schemaOf(server, columns, keys),
  };
}

/** Defaults that clients leave to the database: numbers of sequences, random keys, times. */
const madeByDatabase =
  /nextval\(|^\(?(?:now\(\)|CURRENT_TIMESTAMP|LOCALTIMESTAMP|clock_timestamp\(\)|gen_random_uuid\(\)|uuid_generate_)/i;

async function schemaOf(
  server: Server,
  columns: readonly (readonly string[])[],
  keys: readonly (readonly string[])[],
): Promise<string> {
  const lines = async (sql: string): Promise<string[]> =>
    (await server.query(sql)).map(([line]) => textOf(line));
  const names = [...new Set(columns.filter(([, , isView]) => isView !== 'true').map(([name = '']) => name))];
  const tables = names.map((name) => {
    const own = columns.filter(([table]) => table === name);
    const constraints = keys.filter(([table, kind]) => table === name && kind !== 'f');
    const parts = [
      ...own.map(columnSql),
      ...constraints.map(([, , , , , constraint = '', text = '']) => `CONSTRAINT ${constraint} ${text}`),
    ];
    return `CREATE TABLE ${own[0]?.[1] ?? ''} (\n${parts.map((part) => `  ${part}`).join(',\n')}\n);`;
  });
  const quotedOf = new Map(columns.map(([name = '', quoted = '']) => [name, quoted]));
  const foreign = keys
    .filter(([table = '', kind]) => kind === 'f' && quotedOf.has(table))
    .map(
      ([table = '', , , , , constraint = '', text = '']) =>
        `ALTER TABLE ${quotedOf.get(table) ?? ''} ADD CONSTRAINT ${constraint} ${text};`,
    );
  const groups = [
    await lines(extensionsSql),
    await lines(typesSql),
    await lines(derivedTypesSql),
    await lines(sequencesSql),
    ...tables.map((table) => [table]),
    foreign,
    ...(await lines(viewsSql)).map((view) => [view]),
  ];
  return `${groups
    .filter((group) => group.length > 0)
    .map((group) => group.join('\n'))
    .join('\n\n')}\n`;
}

function columnSql([
  ,
  ,
  ,
  ,
  quoted = '',
  isNotNull,
  expression = '',
  identity,
  generated,
  type = '',
]: readonly string[]): string {
  const value =
    generated === 's'
      ? ` GENERATED ALWAYS AS (${expression}) STORED`
      : identity === 'a' || identity === 'd'
        ? ` GENERATED ${identity === 'a' ? 'ALWAYS' : 'BY DEFAULT'} AS IDENTITY`
        : expression === ''
          ? ''
          : ` DEFAULT ${expression}`;
  return `${quoted} ${type}${value}${isNotNull === 'true' ? ' NOT NULL' : ''}`;
}
