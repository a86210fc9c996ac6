/** The tables of a database, as a person would describe them: columns, keys, and the SQL that makes them. */
import type { DatabaseType } from '../../read/sql/statement-description.js';
import type { Dialect } from '../../read/sql/dialect.js';
import type { Server } from './server.js';

export interface TableColumn {
  readonly name: string;
  /** As statements write it. */
  readonly quoted: string;
  readonly type: DatabaseType;
  readonly isNullable: boolean;
  /** The SQL of its default; undefined where it has none, or where the database makes the value (`isFilled`). */
  readonly default: string | undefined;
  /** True where the database makes the value: an identity, a sequence, a generated column, the time of the change. */
  readonly isFilled: boolean;
  /** MySQL: the SQL that makes the value of a filled key, so that a statement before the change can. */
  readonly keyValue?: string | undefined;
  /** MySQL: bytes are compared with bytes, and base64 is their JSON. */
  readonly isBytes?: boolean;
}

export interface ForeignKey {
  readonly columns: readonly string[];
  /** The name of the other table. */
  readonly table: string;
  readonly targets: readonly string[];
}

export interface Table {
  readonly name: string;
  readonly quoted: string;
  readonly isView: boolean;
  readonly columns: readonly TableColumn[];
  /** Names of columns; empty if there is none. */
  readonly primaryKey: readonly string[];
  readonly foreignKeys: readonly ForeignKey[];
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
    | ('extension' | 'type' | 'sequence' | 'function' | 'aggregate')
    | ('table' | 'foreign key' | 'view' | 'trigger');
  readonly name: string;
  readonly sql: string;
}

/** One row for each column, in the order of tables and columns. */
export interface ColumnRow {
  readonly table: string;
  readonly quotedTable: string;
  readonly isView: boolean;
  readonly name: string;
  readonly quoted: string;
  readonly isNotNull: boolean;
  readonly default: string | undefined;
  readonly isFilled: boolean;
  readonly keyValue?: string | undefined;
  readonly isBytes?: boolean;
}

export interface KeyRow {
  readonly table: string;
  readonly kind: 'primary' | 'foreign';
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
  const names = [...new Set(rows.map(({ table }) => table))];
  const own = names.map((name) => rows.filter(({ table }) => table === name));
  const results = await server.describe(
    own.map((columns) => {
      const [first] = columns;
      return `SELECT ${columns.map(({ quoted }) => quoted).join(', ')} FROM ${first?.quotedTable ?? ''}`;
    }),
  );
  return names.flatMap((name, index): Table[] => {
    const columns = own[index] ?? [];
    const [first] = columns;
    const result = results[index];
    // A table that this user may not read is left out.
    if (first === undefined || result === undefined || !('description' in result)) return [];
    const types = result.description.columns ?? [];
    const ofTable = keys.filter(({ table }) => table === name);
    return [
      {
        name,
        quoted: first.quotedTable,
        isView: first.isView,
        columns: columns.map((column, index): TableColumn => {
          const { name: columnName, quoted, isNotNull, isFilled, keyValue, isBytes = false } = column;
          const type = types[index]?.type ?? { name: 'unknown' };
          return {
            ...{ name: columnName, quoted, type, isFilled, keyValue, isBytes },
            isNullable: !isNotNull,
            default: column.default,
          };
        }),
        primaryKey: ofTable.find(({ kind }) => kind === 'primary')?.columns ?? [],
        foreignKeys: ofTable
          .filter(({ kind }) => kind === 'foreign')
          .map((key) => ({ columns: key.columns, table: key.otherTable, targets: key.targets })),
      },
    ];
  });
}
