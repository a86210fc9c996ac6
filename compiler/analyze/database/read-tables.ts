/** The tables of a database: columns, keys, and the SQL that creates them. */
import type { Written } from '../../notation/written.js';
import type { DatabaseType } from '../../read/sql/statement-description.js';
import type { Dialect } from '../../read/sql/dialect.js';
import type { Server } from './server.js';

export interface TableColumn {
  readonly name: string;
  /** The name as written in statements. */
  readonly quoted: Written<'sql'>;
  readonly type: DatabaseType;
  readonly isNullable: boolean;
  /** The SQL of the default; undefined if there is none, or if the database generates the value (`isFilled`). */
  readonly default: Written<'sql'> | undefined;
  /** True if the database generates the value: an identity, a sequence, a generated column, the time of the change. */
  readonly isFilled: boolean;
  /** PostgreSQL: the type in cast notation; for a domain, its base type. */
  readonly cast?: Written<'sql'> | undefined;
  /** PostgreSQL: true for a domain, whose base type is not considered in comparisons with an enum. */
  readonly isDomain?: boolean | undefined;
  /** MySQL: the SQL that generates the value of a filled key, for use in a statement before the change. */
  readonly keyValue?: Written<'sql'> | undefined;
  /** MySQL: true for bytes, which are compared as bytes and appear as base64 in JSON. */
  readonly isBytes?: boolean;
  /** MySQL: true for a geometry such as a point, which appears as well-known text in JSON. */
  readonly isSpatial?: boolean;
  /** MySQL: true for a TIMESTAMP, whose values are times in UTC. */
  readonly isMoment?: boolean;
  /** The type with length and precision in the server's notation: `character varying(80)`, `int(10) unsigned`. */
  readonly declared?: string | undefined;
}

export interface ForeignKey {
  readonly columns: readonly string[];
  /** The other table, as written in statements. */
  readonly table: string;
  readonly targets: readonly string[];
}

export interface Table {
  readonly name: string;
  /** PostgreSQL: the schema, if statements must name it; otherwise empty. */
  readonly schema: string;
  /** The name as written in statements, unique among all tables. */
  readonly quoted: Written<'sql'>;
  readonly isView: boolean;
  /** PostgreSQL: true if rules rewrite changes, which then do not return rows. */
  readonly hasRules: boolean;
  readonly columns: readonly TableColumn[];
  /** Column names; empty if there is no primary key. */
  readonly primaryKey: readonly string[];
  readonly foreignKeys: readonly ForeignKey[];
  /** The columns of each unique constraint. */
  readonly uniqueKeys: readonly (readonly string[])[];
}

export interface DatabaseTables {
  readonly dialect: Dialect;
  readonly tables: readonly Table[];
  /** The SQL that creates the tables. */
  readonly schema: readonly SchemaObject[];
}

/** A statement that creates one database object. */
export interface SchemaObject {
  readonly kind:
    | ('schema' | 'extension' | 'type' | 'sequence' | 'function' | 'aggregate')
    | ('table' | 'index' | 'foreign key' | 'view' | 'trigger');
  readonly name: string;
  readonly sql: string;
}

/** One row per column, ordered by table and column. */
export interface ColumnRow {
  readonly table: string;
  readonly schema?: string;
  readonly quotedTable: Written<'sql'>;
  readonly isView: boolean;
  readonly hasRules?: boolean;
  readonly name: string;
  readonly quoted: Written<'sql'>;
  readonly isNotNull: boolean;
  readonly default: Written<'sql'> | undefined;
  readonly isFilled: boolean;
  readonly cast?: Written<'sql'>;
  readonly isDomain?: boolean;
  readonly keyValue?: Written<'sql'> | undefined;
  readonly isBytes?: boolean;
  readonly isSpatial?: boolean;
  readonly declared?: string;
}

/** Table names are as written in statements. */
export interface KeyRow {
  readonly table: string;
  readonly kind: 'primary' | 'unique' | 'foreign';
  readonly columns: readonly string[];
  readonly otherTable: string;
  readonly targets: readonly string[];
}

/** Combines the results of the catalog queries. Column types are those reported for statements. */
export async function tablesOf(
  server: Pick<Server, 'describe'>,
  rows: readonly ColumnRow[],
  keys: readonly KeyRow[],
): Promise<Table[]> {
  const names = [...new Set(rows.map(({ quotedTable }) => quotedTable))];
  const own = names.map((name) => rows.filter(({ quotedTable }) => quotedTable === name));
  const results = await server.describe(
    own.map(
      (columns, index) =>
        `SELECT ${columns.map(({ quoted }) => quoted).join(', ')} FROM ${names[index] ?? ''}`,
    ),
  );
  return names.flatMap((quotedTable, index): Table[] => {
    const columns = own[index] ?? [];
    const [first] = columns;
    const result = results[index];
    // Omit tables that the user may not read.
    if (first === undefined || result === undefined || !('description' in result)) return [];
    const types = result.description.columns ?? [];
    const ofTable = keys.filter(({ table }) => table === quotedTable);
    const primaryKey = ofTable.find(({ kind }) => kind === 'primary')?.columns ?? [];
    // A key is only usable if the user can see all of its columns.
    const isWhole = primaryKey.every((key) => columns.some(({ name }) => name === key));
    return [
      {
        name: first.table,
        schema: first.schema ?? '',
        quoted: quotedTable,
        isView: first.isView,
        hasRules: first.hasRules === true,
        columns: columns.map((column, index): TableColumn => {
          const {
            name,
            quoted,
            isNotNull,
            isFilled,
            cast,
            isDomain,
            keyValue,
            isBytes = false,
            isSpatial = false,
            declared,
          } = column;
          const type = isSpatial ? { name: 'text' } : (types[index]?.type ?? { name: 'unknown' });
          return {
            ...{ name, quoted, type, isFilled, cast, isDomain, keyValue, isBytes, isSpatial, declared },
            isNullable: !isNotNull,
            default: column.default,
          };
        }),
        primaryKey: isWhole ? primaryKey : [],
        foreignKeys: ofTable
          .filter(({ kind }) => kind === 'foreign')
          .map((key) => ({ columns: key.columns, table: key.otherTable, targets: key.targets })),
        uniqueKeys: ofTable.filter(({ kind }) => kind === 'unique').map(({ columns }) => columns),
      },
    ];
  });
}
