/** Descriptions of prepared statements from MySQL and MariaDB: the result columns, with the types that the service will read. */
import { originOf, type DatabaseType, type DescribedColumn } from '../../read/sql/statement-description.js';
import { plain } from '../../read/sql/facts/server-names.js';
import { parseText } from '../../read/sql/parse/parse-text.js';
import type { SqlTree } from '../../read/sql/parse/tree.js';
import { sql } from '../../notation/sql-writer.js';
import { textOf, type ServerResult } from './server.js';
import { refusalsOnRun } from './unwritable-columns.js';

/** A result column as described by the protocol. */
export interface RawColumn {
  readonly name: string;
  readonly schema: string;
  /** The table of the column, or the alias of a derived table; empty for an expression. */
  readonly orgTable: string;
  readonly orgName: string;
  readonly columnType: number;
  readonly columnLength: number;
  /** Digits after the point. */
  readonly decimals: number;
  readonly flags: number;
  readonly extendedFormat?: string;
}

/** `parameters` is their number; the server does not report their types. */
export type MysqlResult =
  { readonly columns: readonly RawColumn[]; readonly parameters: number } | ServerResult;

export type Query = (text: string) => Promise<readonly (readonly unknown[])[]>;

export async function describeOnMysql(
  texts: readonly string[],
  prepare: (text: string) => Promise<MysqlResult>,
  query: Query,
): Promise<ServerResult[]> {
  const results: MysqlResult[] = [];
  // The driver cannot prepare statements concurrently.
  for (const text of texts) results.push(await prepare(text));
  const tables = await tableColumns(
    results.flatMap((one) => ('columns' in one ? one.columns : [])),
    query,
  );
  const prepared = texts.filter((_, index) => 'columns' in (results[index] ?? {}));
  const refusedOnRun = await refusalsOnRun(prepared, query);
  return results.map((one, index) => {
    if (!('columns' in one)) return one;
    const refusal = refusedOnRun.get(texts[index] ?? '');
    if (refusal !== undefined) return { refusal };
    const parameters = Array.from({ length: one.parameters }, (): DatabaseType => ({ name: 'unknown' }));
    // The columns of RETURNING and of procedures are only reported on execution.
    if (one.columns.length === 0) return { description: { parameters } };
    const tree = parseText(texts[index] ?? '', 'mysql');
    const columns = one.columns.map((column) => described(column, tree, tables));
    return { description: { parameters, columns } };
  });
}

/** A table column as described by `information_schema`. */
interface TableColumn {
  readonly type: string;
  readonly isNotNull: boolean;
}

const flag = { notNull: 1, unsigned: 32, enum: 256 };

function described(
  column: RawColumn,
  tree: SqlTree,
  tables: ReadonlyMap<string, TableColumn>,
): DescribedColumn {
  const { name, orgTable, orgName, flags } = column;
  const known = isNamedInside(orgTable, tree) ? undefined : tables.get(keyOf(column));
  const labels = known !== undefined && (flags & flag.enum) !== 0 ? labelsOf(known.type) : undefined;
  const typeOfColumn = typeName(column, known !== undefined, tree);
  const type: DatabaseType = {
    name: typeOfColumn,
    ...(typeOfColumn === 'decimal' ? digitsOf(column) : {}),
    ...(labels === undefined ? {} : { labels }),
  };
  // The server takes outer joins into account, which make a NOT NULL column nullable.
  const isSure = known !== undefined && known.isNotNull === ((flags & flag.notNull) !== 0);
  const isOfView = known === undefined && orgName !== '';
  const isSpelledByTable = isOfView || (name !== orgName && name.toLowerCase() === orgName.toLowerCase());
  return {
    name,
    type,
    ...(isSure
      ? { origin: originOf({ table: orgTable, isNotNull: known.isNotNull, column: orgName }, name) }
      : {}),
    ...(isSpelledByTable ? { isSpelledByTable } : {}),
  };
}

/** The digits of a DECIMAL: its length has room for a sign and a point, too. */
function digitsOf({ columnLength, decimals, flags }: RawColumn): Pick<DatabaseType, 'precision' | 'scale'> {
  const others = ((flags & flag.unsigned) === 0 ? 1 : 0) + (decimals > 0 ? 1 : 0);
  return { precision: columnLength - others, scale: decimals };
}

/** By the protocol's number of the type, as the service decodes it; `unknown` where the type may be another one when it runs. */
function typeName(
  { columnType, columnLength, extendedFormat, flags }: RawColumn,
  isOfTable: boolean,
  tree: SqlTree,
): string {
  if (extendedFormat === 'json' || columnType === 245) return 'json';
  if (!isOfTable && (dependsOnLength.has(columnType) || hasMarkerInList(tree))) return 'unknown';
  if (columnType === 1) return columnLength === 1 ? 'tinyint(1)' : 'tinyint';
  if (columnType === 16) return columnLength === 1 ? 'bit(1)' : 'varbinary';
  if (columnType === 8 && (flags & flag.unsigned) !== 0) return unsignedBigint;
  return typeNames.get(columnType) ?? 'unknown';
}

/** TINYINT and BIT, which are booleans if their length is 1, and long texts, which MariaDB may report as JSON. */
const dependsOnLength = new Set([1, 16, 249, 250, 251, 252]);

/** A type with numbers that exceed signed 64-bit integers. */
const unsignedBigint = 'bigint unsigned';

const typeNames: ReadonlyMap<number, string> = new Map([
  ...([0, 246] as const).map((number) => [number, 'decimal'] as const),
  [2, 'smallint'],
  [3, 'int'],
  [4, 'float'],
  [5, 'double'],
  [7, 'timestamp'],
  [8, 'bigint'],
  [9, 'mediumint'],
  [10, 'date'],
  [11, 'time'],
  [12, 'datetime'],
  [13, 'year'],
  ...([15, 247, 248, 253, 254] as const).map((number) => [number, 'varchar'] as const),
  ...([249, 250, 251, 252] as const).map((number) => [number, 'text'] as const),
  [255, 'varbinary'],
]);

/** Whether a column list contains a marker: then the types of expressions depend on the value. */
function hasMarkerInList({ nodes }: SqlTree): boolean {
  return nodes.some(({ kind, clause }) => kind === 'placeholder' && clause?.name === 'SELECT');
}

/** Whether the name is that of a derived table or WITH query: `(SELECT …) t`, `WITH t AS (…)`. */
function isNamedInside(name: string, { nodes, items }: SqlTree): boolean {
  return nodes.some((node) => {
    const item = node.kind === 'derived' ? node.alias : node.kind === 'with-query' ? node.name : undefined;
    return item !== undefined && plain(items[item]) === name.toLowerCase();
  });
}

function keyOf({ schema, orgTable, orgName }: RawColumn): string {
  return [schema, orgTable, orgName].map((part) => part.toLowerCase()).join('\n');
}

/** The table columns to which result columns refer (views do not report whether a column is nullable). */
async function tableColumns(
  columns: readonly RawColumn[],
  query: Query,
): Promise<ReadonlyMap<string, TableColumn>> {
  const tables = new Map(
    columns
      .filter(({ orgTable }) => orgTable !== '')
      .map(({ schema, orgTable }) => [`${schema}\n${orgTable}`, { schema, orgTable }]),
  );
  if (tables.size === 0) return new Map();
  const list = [...tables.values()].map(
    ({ schema, orgTable }) => `(${sql.hexString(schema)}, ${sql.hexString(orgTable)})`,
  );
  const rows = await query(`
    SELECT c.table_schema, c.table_name, c.column_name, c.column_type, c.is_nullable
    FROM information_schema.columns c
    JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
    WHERE t.table_type = 'BASE TABLE' AND (c.table_schema, c.table_name) IN (${list.join(', ')})`);
  return new Map(
    rows.map((row) => {
      const [schema = '', orgTable = '', orgName = '', type = '', nullable = ''] = row.map(textOf);
      return [
        [schema, orgTable, orgName].map((part) => part.toLowerCase()).join('\n'),
        { type, isNotNull: nullable === 'NO' },
      ];
    }),
  );
}

/** Parses the labels of `enum('a','b''c')`. */
function labelsOf(type: string): string[] {
  return [...type.matchAll(/'((?:[^']|'')*)'/g)].map(([, label = '']) => label.replaceAll("''", "'"));
}
