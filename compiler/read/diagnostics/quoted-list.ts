/** Formats names and numbers for sentences. */

/** Joins with a conjunction: `a, b or c`. */
export function listed(texts: readonly string[], word: 'and' | 'or'): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1) ?? ''}`;
}

/** Quotes and joins: `'a', 'b'`. */
export function quotedList(names: readonly string[], separator = ', '): string {
  return names.map((name) => `'${name}'`).join(separator);
}

/** A count with its noun: `1 row`, `2 rows`. */
export function counted(count: number | string, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
