/** Names for parts of a row that is read with its related rows: steps, fields and parameters. */
import { wordSet } from '../../../read/wordset.js';

const reserved = wordSet('param header query cookie body caller null true false limit offset');

/** A name for expressions. */
export function identifier(text: string): string {
  const name = text.replaceAll(/[^A-Za-z0-9_]+/g, '_').replace(/^(?=\d)|^$/, '_');
  return reserved.has(name.toLowerCase()) ? `${name}_` : name;
}

/** Of the row that a foreign key refers to: `user` by the column `user_id`; `user_row` where the column is called `user` itself. */
export function parentNames(wished: string, table: string): string[] {
  return [wished, ...(wished === table ? [] : [`${wished}_${table}`]), `${wished}_row`];
}

/** Of the rows that refer to one: `message_by_sender` where they do so in several ways. */
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
