/** Descriptions of statements from PostgreSQL: each statement is prepared and described, but not executed. */
import type { KnownTable } from '../operations/statements/statement-descriptions.js';
import { checkedValues } from '../../read/sql/facts/checked-values.js';
import {
  originOf,
  type DescribeResult,
  type DatabaseType,
  type DescribedColumn,
  type Refusal,
  type TableColumn,
} from '../../read/sql/statement-description.js';

/** The operations needed from a connection. */
export interface Connection {
  /** Prepares and describes each statement, independently of the others. */
  describe(texts: readonly string[]): Promise<readonly RawResult[]>;
  /** The rows of a catalog query, with values as converted by the driver. */
  query(text: string): Promise<readonly (readonly unknown[])[]>;
}

/** The protocol's description of a statement, in which types, tables and columns are catalog numbers. */
export type RawResult = RawDescription | { readonly refusal: Refusal };

interface RawDescription {
  readonly columns?: readonly RawColumn[];
  readonly parameters: readonly number[];
}

interface RawColumn {
  readonly name: string;
  readonly table: number;
  readonly column: number;
  readonly type: number;
  /** The limits of the type, as the catalogue packs them: of `numeric(14,2)`, its digits; -1 without limits. */
  readonly modifier: number;
}

/** The number of statements to describe in one batch. */
const atOnce = 500;

export async function describeStatements(
  texts: readonly string[],
  connection: Connection,
): Promise<DescribeResult[]> {
  const results: RawResult[] = [];
  for (let from = 0; from < texts.length; from += atOnce)
    results.push(...(await connection.describe(texts.slice(from, from + atOnce))));
  const raw = results.filter((result) => 'parameters' in result);
  const types = await typesOf(raw, connection);
  const origins = await originsOf(raw, connection);
  return results.map((result) => ('parameters' in result ? described(result, types, origins) : result));
}

interface ServerError {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly code?: string | undefined;
  readonly position?: string | undefined;
}

/** `text` is the statement. */
export function refusalOf({ message, hint, code = '', position }: ServerError, text: string): Refusal {
  const at = position === undefined ? undefined : indexOf(text, Number(position));
  return { message, code, ...(hint === undefined ? {} : { hint }), ...(at === undefined ? {} : { at }) };
}

/** Converts a position (characters from 1) to an index (UTF-16 code units from 0). */
export function indexOf(text: string, position: number): number {
  let index = 0;
  for (let count = 1; count < position && index < text.length; count += 1)
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  return index;
}

function described(
  { columns, parameters }: RawDescription,
  types: ReadonlyMap<number, DatabaseType>,
  origins: ReadonlyMap<string, TableColumn>,
): DescribeResult {
  const typeOf = (oid: number): DatabaseType => types.get(oid) ?? { name: 'unknown' };
  return {
    description: {
      parameters: parameters.map(typeOf),
      ...(columns && {
        columns: columns.map(({ name, table, column, type, modifier }): DescribedColumn => {
          const origin = origins.get(`${table}.${column}`);
          return {
            name,
            type: limited(typeOf(type), modifier),
            ...(origin && { origin: originOf(origin, name) }),
          };
        }),
      }),
    },
  };
}

/** With the digits of `numeric(14,2)`, also as the elements of an array. */
function limited(type: DatabaseType, modifier: number): DatabaseType {
  if (type.element !== undefined) return { ...type, element: limited(type.element, modifier) };
  if (type.name !== 'numeric' || modifier < header) return type;
  const packed = modifier - header;
  // The scale has 11 bits, with a sign.
  return { ...type, precision: (packed >> 16) & 0xffff, scale: ((packed & 0x7ff) ^ 1024) - 1024 };
}

/** Bytes that the catalogue adds to each modifier. */
const header = 4;

async function typesOf(
  raw: readonly RawDescription[],
  connection: Connection,
): Promise<ReadonlyMap<number, DatabaseType>> {
  const oids = new Set(
    raw.flatMap(({ columns = [], parameters }) => [...columns.map(({ type }) => type), ...parameters]),
  );
  if (oids.size === 0) return new Map();
  // Domains are resolved to their base types.
  const rows = await connection.query(`
    WITH RECURSIVE wanted AS (
      SELECT oid FROM pg_catalog.pg_type WHERE oid IN (${[...oids].join(', ')})
      UNION
      SELECT unnest(ARRAY[nullif(t.typbasetype, 0), CASE WHEN t.typcategory = 'A' THEN nullif(t.typelem, 0) END])
      FROM wanted w JOIN pg_catalog.pg_type t ON t.oid = w.oid
    )
    SELECT t.oid::int8, t.typname::text, t.typtype::text, t.typbasetype::int8,
      CASE WHEN t.typcategory = 'A' THEN t.typelem::int8 ELSE 0 END,
      (SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder)::text FROM pg_catalog.pg_enum e WHERE e.enumtypid = t.oid)
    FROM wanted w JOIN pg_catalog.pg_type t ON t.oid = w.oid`);
  const found = new Map(rows.map((row) => [Number(row[0]), row]));
  const typeOf = (oid: number): DatabaseType => {
    const [, name, kind, base, element, labels] = found.get(oid) ?? [];
    if (kind === 'd' && Number(base) !== 0) return typeOf(Number(base));
    return {
      name: String(name),
      ...(typeof labels === 'string' ? { labels: JSON.parse(labels) as string[] } : {}),
      ...(Number(element) > 0 ? { element: typeOf(Number(element)) } : {}),
    };
  };
  return new Map([...oids].map((oid) => [oid, typeOf(oid)]));
}

/** The origins of columns, keyed by `<table>.<column>` (both numbers). Only tables report whether a column is nullable; views never do. */
async function originsOf(
  raw: readonly RawDescription[],
  connection: Connection,
): Promise<ReadonlyMap<string, TableColumn>> {
  const tables = new Set(
    raw.flatMap(({ columns = [] }) => columns.map(({ table }) => table).filter(Boolean)),
  );
  if (tables.size === 0) return new Map();
  const rows = await connection.query(`
    SELECT a.attrelid::int8, a.attnum::int4, c.relname::text, a.attnotnull, a.attname::text
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
    WHERE a.attnum > 0 AND c.relkind IN ('r', 'p') AND a.attrelid IN (${[...tables].join(', ')})`);
  return new Map(
    rows.map(([table, number, name, isNotNull, column]) => [
      `${Number(table)}.${Number(number)}`,
      { table: String(name), isNotNull: isNotNull === true || isNotNull === 't', column: String(column) },
    ]),
  );
}

/** All tables and views, sorted by name. */
export async function knownTables(connection: Pick<Connection, 'query'>): Promise<KnownTable[]> {
  const [row = []] = await connection.query(`SELECT ${tablesAsJson}`);
  return readTables(row[0]);
}

/**
 * A subquery that returns all tables and views as JSON. Columns of a table with a BEFORE trigger do not count as refusing null, because the
 * trigger may set a value.
 */
export const tablesAsJson = `(
    SELECT pg_catalog.json_agg(o.object ORDER BY o.name)::text FROM (
    SELECT s.name, pg_catalog.json_strip_nulls(pg_catalog.json_build_object('name', s.name, 'schema', s.schema, 'columns', (
      SELECT coalesce(pg_catalog.json_agg(a.attname::text ORDER BY a.attnum), '[]')
      FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    ), 'refusingNull', (
      SELECT coalesce(pg_catalog.json_agg(a.attname::text ORDER BY a.attnum), '[]')
      FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tgtype & 2 <> 0 AND (t.tgrelid = c.oid OR EXISTS (
        SELECT FROM pg_catalog.pg_inherits h WHERE h.inhparent = c.oid AND h.inhrelid = t.tgrelid
      )))
    ), 'keys', (
      SELECT pg_catalog.json_agg(k.names ORDER BY k.names::text) FROM (
        SELECT (
          SELECT pg_catalog.json_agg(a.attname::text ORDER BY a.attnum) FROM pg_catalog.pg_attribute a
          WHERE a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::pg_catalog.int2[])[0:i.indnkeyatts - 1])
        ) AS names
        FROM pg_catalog.pg_index i
        WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
      ) k
    ), 'indexed', (
      SELECT pg_catalog.json_agg(DISTINCT a.attname::text ORDER BY a.attname::text) FROM pg_catalog.pg_index i
      JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
      WHERE i.indrelid = c.oid AND i.indisvalid AND i.indpred IS NULL
    ), 'references', (
      SELECT pg_catalog.json_agg(pg_catalog.json_build_object('column', a.attname::text, 'table', CASE WHEN pg_catalog.pg_table_is_visible(o.oid) THEN o.relname::text ELSE pg_catalog.concat(p.nspname, '.', o.relname) END, 'target', b.attname::text) ORDER BY k.conname)
      FROM pg_catalog.pg_constraint k
      JOIN pg_catalog.pg_class o ON o.oid = k.confrelid JOIN pg_catalog.pg_namespace p ON p.oid = o.relnamespace
      JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
      JOIN pg_catalog.pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = k.confkey[1]
      WHERE k.conrelid = c.oid AND k.contype = 'f' AND pg_catalog.cardinality(k.conkey) = 1
    ), 'constraints', (
      SELECT pg_catalog.json_agg(pg_catalog.json_build_object('name', v.name, 'isDeferred', nullif(v.deferred, false)) ORDER BY v.name) FROM (
        SELECT k.conname::text AS name, k.condeferred AS deferred FROM pg_catalog.pg_constraint k
        WHERE (k.conrelid = c.oid AND k.contype IN ('c', 'f')) OR (k.contypid <> 0 AND k.contype = 'c' AND k.connamespace <> ALL (ARRAY['pg_catalog', 'information_schema']::pg_catalog.regnamespace[]))
        UNION
        SELECT x.relname::text, EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conindid = i.indexrelid AND k.conrelid = c.oid AND k.condeferred)
        FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
        WHERE i.indrelid = c.oid AND c.relkind = 'r' AND (i.indisunique OR i.indisexclusion)
      ) v
    ), 'checks', (
      SELECT pg_catalog.json_agg(pg_catalog.json_build_object('column', a.attname::text, 'condition', pg_catalog.pg_get_expr(k.conbin, k.conrelid)) ORDER BY k.conname)
      FROM pg_catalog.pg_attribute a
      JOIN pg_catalog.pg_type y ON y.oid = a.atttypid LEFT JOIN pg_catalog.pg_type b ON b.oid = y.typbasetype
      JOIN pg_catalog.pg_constraint k ON k.contype = 'c' AND k.convalidated
        AND ((k.conrelid = c.oid AND k.conkey = ARRAY[a.attnum]) OR (y.typtype = 'd' AND k.contypid = y.oid))
      WHERE a.attrelid = c.oid AND coalesce(b.typname, y.typname) IN ('text', 'varchar')
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_collation l WHERE l.oid = a.attcollation AND NOT l.collisdeterministic)
    ), 'policies', CASE WHEN c.relrowsecurity THEN pg_catalog.json_build_object('immutable', (
      SELECT coalesce(pg_catalog.json_agg(DISTINCT f.proname::text), '[]')
      FROM pg_catalog.pg_policy y
      JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_policy'::pg_catalog.regclass AND d.objid = y.oid
        AND d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
      JOIN pg_catalog.pg_proc f ON f.oid = d.refobjid
      WHERE y.polrelid = c.oid AND f.provolatile = 'i'
    )) END, 'isOfOwner', CASE WHEN c.relkind = 'v' AND EXISTS (SELECT FROM pg_catalog.pg_policy)
      AND coalesce(c.reloptions::text, '') !~ 'security_invoker=(?:true|on|1)' THEN true END, 'query', CASE c.relkind WHEN 'v' THEN pg_catalog.pg_get_viewdef(c.oid) END, 'isMaterialized', nullif(c.relkind = 'm', false), 'triggers', (
      SELECT pg_catalog.json_agg(p.proname::text ORDER BY p.proname::text)
      FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid WHERE t.tgrelid = c.oid AND NOT t.tgisinternal
    ))) AS object
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    CROSS JOIN LATERAL (SELECT CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN c.relname::text ELSE pg_catalog.concat(n.nspname, '.', c.relname) END AS name,
      CASE WHEN NOT pg_catalog.pg_table_is_visible(c.oid) THEN n.nspname::text END AS schema) s
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
      AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
    UNION ALL
    SELECT p.proname::text, pg_catalog.json_strip_nulls(pg_catalog.json_build_object('name', p.proname::text, 'columns', pg_catalog.json_build_array(),
      'body', CASE p.prosrc WHEN '' THEN pg_catalog.pg_get_functiondef(p.oid) ELSE p.prosrc END, 'isOfOwner', nullif(p.prosecdef, false)))
    FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace JOIN pg_catalog.pg_language l ON l.oid = p.prolang
    WHERE p.prokind IN ('f', 'p') AND l.lanname NOT IN ('c', 'internal') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    ) o)`;

export function readTables(text: unknown): KnownTable[] {
  const tables = typeof text === 'string' && text !== '' ? (JSON.parse(text) as ReportedTable[]) : [];
  return tables.map(({ checks, ...table }) => {
    const values = new Map<string, readonly string[]>();
    // Considers only CHECKs of a single column or of its domain.
    for (const { column, condition } of checks ?? [])
      for (const [, allowed] of checkedValues(condition, 'postgresql')) values.set(column, [...allowed]);
    return { ...table, ...(values.size > 0 && { values: Object.fromEntries(values) }) };
  });
}

/** A table with its CHECK conditions in the server's form. */
type ReportedTable = KnownTable & {
  readonly checks?: readonly { readonly column: string; readonly condition: string }[];
};

/**
 * The embedded PostgreSQL crashed during a statement, or was stopped. It would respond to all further statements with nothing, as if they
 * had succeeded.
 */
export class EndedPostgres extends Error {
  override readonly name = 'EndedPostgres';

  constructor(
    message = 'it ends in this statement: a PostgreSQL inside of a process has no programs and no other files',
  ) {
    super(message);
  }
}
