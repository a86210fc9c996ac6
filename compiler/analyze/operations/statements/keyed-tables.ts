/** Finds tables of a database with their keys by name. */
import type { KeyedTable } from '../../../read/sql/facts/unique-rows.js';
import type { KnownTable } from './statement-descriptions.js';

/** Finds a table by its lower-case name. */
export function keyedTables(tables: readonly KnownTable[]): (lower: string) => KeyedTable | undefined {
  return (lower) => {
    const table = tables.find(({ name }) => name.toLowerCase() === lower);
    return (
      table && {
        columns: table.columns.map((name) => name.toLowerCase()),
        keys: (table.keys ?? []).map((names) => names.map((name) => name.toLowerCase())),
      }
    );
  };
}
