/** The tables of a database, as a person would describe them: columns, keys, and the SQL that makes them. */
import type { Written } from '../../notation/written.js';
import type { DatabaseType } from '../../read/sql/statement-description.js';
import type { Dialect } from '../../read/sql/dialect.js';
import type { Server } from './server.js';

export interface TableColumn {
  readonly name: string;
  /** As statements write it. */
  readonly quoted: Written<'sql'>;
  readonly type: DatabaseType;
  readonly isNullable: boolean;
  /** The SQL of its default; undefined without a default, or if the database makes the value (`isFilled`). */
  readonly default: Written<'sql'> | undefined;
  /** True where the database makes the value: an identity, a sequence, a generated column, the time of the change. */
  readonly isFilled: boolean;
  /** PostgreSQL: its type in the notation of casts; for a domain, its base type. */
  readonly cast?: Written<'sql'> | undefined;
  /** PostgreSQL: the type is a domain, which comparisons with an enum do not look into. */
  readonly isDomain?: boolean | undefined;
  /** MySQL: the SQL that makes the value of a filled key, so that a statement before the change can. */
  readonly keyValue?: Written<'sql'> | undefined;
  /** MySQL: bytes are compared with bytes, and base64 is their JSON. */
  readonly isBytes?: boolean;
  /** MySQL: a point or another geometry, whose JSON is its well-known text. */
  readonly isSpatial?: boolean;
  /** MySQL: a TIMESTAMP, whose values are times in UTC. */
  readonly isMoment?: boolean;
  /** Its type with length and precision, in the words of the server: `character varying(80)`, `int(10) unsigned`. */
  readonly declared?: string | undefined;
}

export interface ForeignKey {
  readonly columns: readonly string[];
  /** The other table, as statements write it. */
  readonly table: string;
  readonly targets: readonly string[];
}

export interface Table {
  readonly name: string;
  /** PostgreSQL: the schema that statements must name; empty if it is not needed. */
  readonly schema: string;
  /** As statements write it: no two tables have the same. */
  readonly quoted: Written<'sql'>;
  readonly isView: boolean;
  /** PostgreSQL: rules replace its changes, which then return no row. */
  readonly hasRules: boolean;
  readonly columns: readonly TableColumn[];
  /** Names of columns; empty if there is none. */
  readonly primaryKey: readonly string[];
  readonly foreignKeys: readonly ForeignKey[];
  /** The columns of each unique constraint. */
  readonly uniqueKeys: readonly (readonly string[])[];
}

export interface DatabaseTables {
  readonly dialect: Dialect;
  readonly tables: readonly Table[];
  /** The SQL that makes them. */
  readonly schema: readonly SchemaObject[];
}

/** A statement that makes one object of a database. */
export interface SchemaObject {
  readonly kind:
    | ('schema' | 'extension' | 'type' | 'sequence' | 'function' | 'aggregate')
    | ('table' | 'index' | 'foreign key' | 'view' | 'trigger');
  readonly name: string;
  readonly sql: string;
}

/** One row for each column, in the order of tables and columns. */
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

/** Tables as statements write them. */
export interface KeyRow {
  readonly table: string;
  readonly kind: 'primary' | 'unique' | 'foreign';
  readonly columns: readonly string[];
  readonly otherTable: string;
  readonly targets: readonly string[];
}

/** Combines the results of the catalogue; the types of columns are those that statements have. */
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
    // A table that this user may not read is left out.
    if (first === undefined || result === undefined || !('description' in result)) return [];
    const types = result.description.columns ?? [];
    const ofTable = keys.filter(({ table }) => table === quotedTable);
    const primaryKey = ofTable.find(({ kind }) => kind === 'primary')?.columns ?? [];
    // The columns that this user can see are not a key if the key has other columns, too.
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
