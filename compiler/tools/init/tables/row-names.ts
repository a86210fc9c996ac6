/** Names for the parts of a row that is read with related rows: steps, fields and parameters. */
import { wordSet } from '../../../read/wordset.js';

const reserved = wordSet('param header query cookie body caller null true false limit offset');

/** Converts text to a name that can be used in expressions. */
export function identifier(text: string): string {
  const name = text.replaceAll(/[^A-Za-z0-9_]+/g, '_').replace(/^(?=\d)|^$/, '_');
  return reserved.has(name.toLowerCase()) ? `${name}_` : name;
}

/** Names for the row that a foreign key refers to: `user` for the column `user_id`; `user_row` if the column itself is called `user`. */
export function parentNames(wished: string, table: string): string[] {
  return [wished, ...(wished === table ? [] : [`${wished}_${table}`]), `${wished}_row`];
}

/** Names for rows that refer to a row: `message_by_sender` if there are several foreign keys. */
export function childNames(table: string, columns: readonly string[], areSeveral: boolean): string[] {
  const by = `${table}_by_${columns.map((name) => name.replace(/_id$/i, '')).join('_')}`;
  return areSeveral ? [by] : [table, `${table}_rows`, by];
}

export function unique(wished: string, taken: readonly string[]): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? wished : `${wished}_${count}`;
    if (!taken.includes(name)) return name;
  }
}
