/** Reads the SQL for the objects of a PostgreSQL database from its catalog. */
import type { ColumnRow, SchemaObject } from './read-tables.js';
import { textOf, type Server } from './server.js';

/** The catalog of relations. */
export const from = 'pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace';

/** Statements that query the catalog. */
export interface PostgresCatalogue {
  /** The condition for tables and views `c`, excluding those of the system and of extensions, and partitions. */
  readonly ours: string;
  /** For each kind of object: a query for names and SQL. */
  readonly statements: Readonly<Record<(typeof kinds)[number], string>>;
}

const kinds = [
  ...(['schema', 'extension', 'enum', 'range', 'type', 'sequence', 'function', 'aggregate'] as const),
  ...(['index', 'view', 'trigger'] as const),
];

/**
 * `inPath`: only objects that statements can name without a schema; otherwise all objects that the user may use. Names include their schema
 * if necessary.
 */
export function postgresCatalogue(inPath: boolean): PostgresCatalogue {
  const own = (visible: string): string => `${inPath ? `${visible} AND ` : ''}${isOwnSchema}`;
  const notOfExtension = (oid: string): string =>
    `NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = ${oid} AND d.deptype = 'e')`;
  const isType = `${own('pg_catalog.pg_type_is_visible(t.oid)')} AND ${notOfExtension('t.oid')}`;
  const ours = `c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition AND ${own('pg_catalog.pg_table_is_visible(c.oid)')}
  AND ${notOfExtension('c.oid')}`;
  const functions = `pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
  WHERE ${own('pg_catalog.pg_function_is_visible(p.oid)')} AND ${notOfExtension('p.oid')}`;
  const functionName = `CASE WHEN pg_catalog.pg_function_is_visible(p.oid) THEN quote_ident(p.proname)
    ELSE format('%I.%I', n.nspname, p.proname) END`;
  const types = `pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace`;
  return {
    ours,
    statements: {
      schema: inPath
        ? "SELECT '', '' WHERE false"
        : `SELECT n.nspname::text, format('CREATE SCHEMA IF NOT EXISTS %I;', n.nspname) FROM pg_catalog.pg_namespace n
  WHERE ${isOwnSchema} AND n.nspname <> ALL (current_schemas(false)) AND n.nspname <> 'public' AND ${notOfExtension('n.oid')}
    AND (EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid) OR EXISTS (SELECT FROM pg_catalog.pg_proc p WHERE p.pronamespace = n.oid)
      OR EXISTS (SELECT FROM pg_catalog.pg_type t WHERE t.typnamespace = n.oid))
  ORDER BY 1`,
      extension: `
  SELECT e.extname::text, format('CREATE EXTENSION IF NOT EXISTS %I%s;', e.extname,
    CASE WHEN ${inPath} OR n.nspname IN ('public', 'pg_catalog') OR n.nspname = ANY (current_schemas(false)) OR NOT ${notOfExtension('n.oid')} THEN ''
      ELSE format(' WITH SCHEMA %I', n.nspname) END)
  FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname <> 'plpgsql' ORDER BY 1`,
      enum: `
  SELECT format_type(t.oid, NULL), format('CREATE TYPE %s AS ENUM (%s);', format_type(t.oid, NULL),
    (SELECT string_agg(quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder) FROM pg_catalog.pg_enum e WHERE e.enumtypid = t.oid))
  FROM ${types} WHERE t.typtype = 'e' AND ${isType}
  ORDER BY t.typname`,
      range: `
  SELECT format_type(t.oid, NULL), format('CREATE TYPE %s AS RANGE (SUBTYPE = %s);', format_type(t.oid, NULL), format_type(r.rngsubtype, NULL))
  FROM ${types} JOIN pg_catalog.pg_range r ON r.rngtypid = t.oid WHERE ${isType} ORDER BY t.oid`,
      // Domains and composite types, which can depend on each other.
      type: `
  SELECT format_type(t.oid, NULL), CASE t.typtype WHEN 'c' THEN format('CREATE TYPE %s AS (%s);', format_type(t.oid, NULL),
    (SELECT string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum)
     FROM pg_catalog.pg_attribute a WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped))
  ELSE format('CREATE DOMAIN %s AS %s%s%s%s;', format_type(t.oid, NULL), format_type(t.typbasetype, t.typtypmod),
    coalesce(' DEFAULT ' || t.typdefault, ''), CASE WHEN t.typnotnull THEN ' NOT NULL' ELSE '' END,
    coalesce((SELECT string_agg(' ' || pg_get_constraintdef(k.oid), '') FROM pg_catalog.pg_constraint k
              WHERE k.contypid = t.oid AND k.contype = 'c'), '')) END
  FROM ${types} LEFT JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
  WHERE (t.typtype = 'd' OR c.relkind = 'c') AND ${isType}
  ORDER BY t.oid`,
      sequence: `
  SELECT c.oid::regclass::text, format('CREATE SEQUENCE %s;', c.oid::regclass) FROM ${from}
  WHERE c.relkind = 'S' AND ${own('pg_catalog.pg_table_is_visible(c.oid)')}
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('i', 'e'))
  ORDER BY n.nspname, c.relname`,
      // The first line omits the schema name if possible, like all other statements.
      function: `
  SELECT format('%s(%s)', ${functionName}, pg_get_function_identity_arguments(p.oid)), pg_get_functiondef(p.oid) || ';',
    format('%I.%I(', n.nspname, p.proname), ${functionName} || '('
  FROM ${functions} AND p.prokind IN ('f', 'p', 'w') ORDER BY p.oid`,
      // Omits properties that only affect performance.
      aggregate: `
  SELECT s.name, format(E'CREATE AGGREGATE %s (\\n  %s\\n);', s.name, concat_ws(E',\\n  ', 'SFUNC = ' || a.aggtransfn::text,
    'STYPE = ' || format_type(a.aggtranstype, NULL), CASE WHEN a.aggfinalfn <> 0 THEN 'FINALFUNC = ' || a.aggfinalfn::text END,
    CASE WHEN a.aggfinalextra THEN 'FINALFUNC_EXTRA' END, 'INITCOND = ' || quote_literal(a.agginitval),
    CASE WHEN p.proparallel = 's' THEN 'PARALLEL = SAFE' END, CASE WHEN a.aggkind = 'h' THEN 'HYPOTHETICAL' END))
  FROM (SELECT p.oid, format('%s(%s)', ${functionName}, coalesce(nullif(pg_get_function_arguments(p.oid), ''), '*')) AS name
        FROM ${functions} AND p.prokind = 'a') s
  JOIN pg_catalog.pg_proc p ON p.oid = s.oid JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = p.oid ORDER BY p.oid`,
      // Indexes of constraints are created with their tables.
      index: `
  SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid, 0, true) || ';'
  FROM ${from} JOIN pg_catalog.pg_index i ON i.indrelid = c.oid
  WHERE ${ours} AND c.relkind <> 'm' AND i.indisunique AND i.indisvalid
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
  ORDER BY n.nspname, c.relname, 1`,
      view: `
  SELECT c.oid::regclass::text, format(E'CREATE %s %s AS\\n%s', CASE c.relkind WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'VIEW' END,
    c.oid::regclass, pg_get_viewdef(c.oid, true))
  FROM ${from} WHERE c.relkind IN ('v', 'm') AND ${ours} ORDER BY c.oid`,
      trigger: `
  SELECT format('%I of %s', t.tgname, c.oid::regclass), pg_get_triggerdef(t.oid, true) || ';'
  FROM ${from} JOIN pg_catalog.pg_trigger t ON t.tgrelid = c.oid
  WHERE ${ours} AND NOT t.tgisinternal AND t.tgenabled <> 'D' ORDER BY n.nspname, c.relname, t.tgname`,
    },
  };
}

/** Excludes system schemas and schemas that the user may not use. */
const isOwnSchema = `n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND has_schema_privilege(n.oid, 'USAGE')`;

/** A column in CREATE TABLE notation. */
export interface PostgresColumn {
  readonly written: {
    readonly default: string;
    readonly identity: string;
    readonly generated: string;
    /** The declared type. */
    readonly declared: string;
    readonly isNotNull: boolean;
  };
}

/** The objects in order of creation, as far as the catalog shows it. */
export async function postgresSchema(
  server: Server,
  { statements }: PostgresCatalogue,
  columns: readonly (ColumnRow & PostgresColumn)[],
  keys: readonly (readonly string[])[],
): Promise<SchemaObject[]> {
  const objects = async (
    statement: keyof typeof statements,
    kind: SchemaObject['kind'],
  ): Promise<SchemaObject[]> =>
    (await server.query(statements[statement])).map((row) => {
      const [name = '', text = '', full = '', plain = ''] = row.map(textOf);
      return { kind, name, sql: text.replace(full, () => plain) };
    });
  const names: readonly string[] = [
    ...new Set(columns.filter(({ isView }) => !isView).map(({ quotedTable }) => quotedTable)),
  ];
  const tables = names.map((name): SchemaObject => {
    const own = columns.filter(({ quotedTable }) => quotedTable === name);
    const constraints = keys.filter(([table, kind]) => table === name && kind !== 'f');
    const parts = [
      ...own.map(columnSql),
      ...constraints.map(([, , , , , constraint = '', text = '']) => `CONSTRAINT ${constraint} ${text}`),
    ];
    return {
      ...{ kind: 'table', name },
      sql: `CREATE TABLE ${name} (\n${parts.map((part) => `  ${part}`).join(',\n')}\n);`,
    };
  });
  const foreign = keys
    .filter(([table = '', kind]) => kind === 'f' && names.includes(table))
    .map(([table = '', , , , , constraint = '', text = '']): SchemaObject => ({
      ...{ kind: 'foreign key', name: `${constraint} of ${table}` },
      sql: `ALTER TABLE ${table} ADD CONSTRAINT ${constraint} ${text};`,
    }));
  return [
    ...(await objects('schema', 'schema')),
    ...(await objects('extension', 'extension')),
    ...(await objects('enum', 'type')),
    ...(await objects('range', 'type')),
    ...(await objects('type', 'type')),
    ...(await objects('sequence', 'sequence')),
    ...(await objects('function', 'function')),
    ...(await objects('aggregate', 'aggregate')),
    ...tables,
    ...(await objects('index', 'index')),
    ...foreign,
    ...(await objects('view', 'view')),
    ...(await objects('trigger', 'trigger')),
  ];
}

function columnSql({ quoted, written }: ColumnRow & PostgresColumn): string {
  const { default: expression, identity, generated, declared, isNotNull } = written;
  const value =
    generated !== ''
      ? ` GENERATED ALWAYS AS (${expression}) STORED`
      : identity === 'a' || identity === 'd'
        ? ` GENERATED ${identity === 'a' ? 'ALWAYS' : 'BY DEFAULT'} AS IDENTITY`
        : expression === ''
          ? ''
          : ` DEFAULT ${expression}`;
  return `${quoted} ${declared}${value}${isNotNull ? ' NOT NULL' : ''}`;
}
