/** The SQL that makes the objects of a PostgreSQL database, by its catalogue. */
import type { SchemaObject } from './read-tables.js';
import { textOf, type Server } from './server.js';

/** Visible without a schema's name, and neither of the system, of an extension nor a part of a partitioned table. */
export const ours = `c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition AND pg_catalog.pg_table_is_visible(c.oid)
  AND n.nspname NOT IN ('pg_catalog', 'information_schema')
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')`;
export const from = 'pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace';

/** Each with its name, and its SQL. */
const typesSql = `
  SELECT t.typname::text, format('CREATE TYPE %I AS ENUM (%s);', t.typname,
    (SELECT string_agg(quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder) FROM pg_catalog.pg_enum e WHERE e.enumtypid = t.oid))
  FROM pg_catalog.pg_type t WHERE t.typtype = 'e' AND pg_catalog.pg_type_is_visible(t.oid)
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = t.oid AND d.deptype = 'e')
  ORDER BY t.typname`;

/** Domains and composite types, which may be made of each other. */
const derivedTypesSql = `
  SELECT t.typname::text, CASE t.typtype WHEN 'c' THEN format('CREATE TYPE %I AS (%s);', t.typname,
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
  SELECT c.relname::text, format('CREATE SEQUENCE %I;', c.relname) FROM ${from}
  WHERE c.relkind = 'S' AND pg_catalog.pg_table_is_visible(c.oid) AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('i', 'e'))
  ORDER BY c.relname`;

const viewsSql = `
  SELECT c.relname::text, format(E'CREATE %s %I AS\\n%s', CASE c.relkind WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'VIEW' END, c.relname,
    pg_get_viewdef(c.oid, true))
  FROM ${from} WHERE c.relkind IN ('v', 'm') AND ${ours} ORDER BY c.oid`;

const extensionsSql = `
  SELECT extname::text, format('CREATE EXTENSION IF NOT EXISTS %I;', extname) FROM pg_catalog.pg_extension WHERE extname <> 'plpgsql' ORDER BY 1`;

const ourFunctions = `pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
  WHERE pg_catalog.pg_function_is_visible(p.oid) AND n.nspname NOT IN ('pg_catalog', 'information_schema')
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`;

/** Without the schema's name in the first line, as everything else is written. */
const functionsSql = `
  SELECT format('%I(%s)', p.proname, pg_get_function_identity_arguments(p.oid)), pg_get_functiondef(p.oid) || ';',
    format('%I.%I(', n.nspname, p.proname), format('%I(', p.proname)
  FROM ${ourFunctions} AND p.prokind IN ('f', 'p', 'w') ORDER BY p.oid`;

/** Without what is only there to be faster. */
const aggregatesSql = `
  SELECT s.name, format(E'CREATE AGGREGATE %s (\\n  %s\\n);', s.name, concat_ws(E',\\n  ', 'SFUNC = ' || a.aggtransfn::text,
    'STYPE = ' || format_type(a.aggtranstype, NULL), CASE WHEN a.aggfinalfn <> 0 THEN 'FINALFUNC = ' || a.aggfinalfn::text END,
    CASE WHEN a.aggfinalextra THEN 'FINALFUNC_EXTRA' END, 'INITCOND = ' || quote_literal(a.agginitval),
    CASE WHEN p.proparallel = 's' THEN 'PARALLEL = SAFE' END, CASE WHEN a.aggkind = 'h' THEN 'HYPOTHETICAL' END))
  FROM (SELECT p.oid, format('%I(%s)', p.proname, coalesce(nullif(pg_get_function_arguments(p.oid), ''), '*')) AS name
        FROM ${ourFunctions} AND p.prokind = 'a') s
  JOIN pg_catalog.pg_proc p ON p.oid = s.oid JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = p.oid ORDER BY p.oid`;

const triggersSql = `
  SELECT format('%I of %I', t.tgname, c.relname), pg_get_triggerdef(t.oid, true) || ';'
  FROM ${from} JOIN pg_catalog.pg_trigger t ON t.tgrelid = c.oid
  WHERE ${ours} AND NOT t.tgisinternal AND t.tgenabled <> 'D' ORDER BY c.relname, t.tgname`;

/** In the order in which they were made, as far as the catalogue knows it. */
export async function postgresSchema(
  server: Server,
  columns: readonly (readonly string[])[],
  keys: readonly (readonly string[])[],
): Promise<SchemaObject[]> {
  const objects = async (kind: SchemaObject['kind'], sql: string): Promise<SchemaObject[]> =>
    (await server.query(sql)).map((row) => {
      const [name = '', text = '', written = '', plain = ''] = row.map(textOf);
      return { kind, name, sql: text.replace(written, () => plain) };
    });
  const names = [...new Set(columns.filter(([, , isView]) => isView !== 'true').map(([name = '']) => name))];
  const tables = names.map((name): SchemaObject => {
    const own = columns.filter(([table]) => table === name);
    const constraints = keys.filter(([table, kind]) => table === name && kind !== 'f');
    const parts = [
      ...own.map(columnSql),
      ...constraints.map(([, , , , , constraint = '', text = '']) => `CONSTRAINT ${constraint} ${text}`),
    ];
    const sql = `CREATE TABLE ${own[0]?.[1] ?? ''} (\n${parts.map((part) => `  ${part}`).join(',\n')}\n);`;
    return { kind: 'table', name, sql };
  });
  const quotedOf = new Map(columns.map(([name = '', quoted = '']) => [name, quoted]));
  const foreign = keys
    .filter(([table = '', kind]) => kind === 'f' && quotedOf.has(table))
    .map(([table = '', , , , , constraint = '', text = '']): SchemaObject => {
      const sql = `ALTER TABLE ${quotedOf.get(table) ?? ''} ADD CONSTRAINT ${constraint} ${text};`;
      return { kind: 'foreign key', name: constraint, sql };
    });
  return [
    ...(await objects('extension', extensionsSql)),
    ...(await objects('type', typesSql)),
    ...(await objects('type', derivedTypesSql)),
    ...(await objects('sequence', sequencesSql)),
    ...(await objects('function', functionsSql)),
    ...(await objects('aggregate', aggregatesSql)),
    ...tables,
    ...foreign,
    ...(await objects('view', viewsSql)),
    ...(await objects('trigger', triggersSql)),
  ];
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
    generated !== ''
      ? ` GENERATED ALWAYS AS (${expression}) STORED`
      : identity === 'a' || identity === 'd'
        ? ` GENERATED ${identity === 'a' ? 'ALWAYS' : 'BY DEFAULT'} AS IDENTITY`
        : expression === ''
          ? ''
          : ` DEFAULT ${expression}`;
  return `${quoted} ${type}${value}${isNotNull === 'true' ? ' NOT NULL' : ''}`;
}
