/** Lengths and precisions of types: `numeric(10, 2)`, where no server accepts a parameter. */
import { callAround } from './operand.js';
import type { OutlineToken } from './outline.js';
import { wordSet } from '../lexer/word-set.js';

const converted = wordSet('BINARY CHAR NCHAR DATETIME TIME DECIMAL');

/** The type around the parentheses of the item at `index`, as it is written; undefined elsewhere. */
export function typeAround(items: readonly OutlineToken[], index: number): string | undefined {
  const open = items[index]?.parent ?? -1;
  const name = items[open - 1];
  if (name?.token.kind !== 'word' && name?.token.kind !== 'quoted-name') return undefined;
  if (!isType(items, open - 1)) return undefined;
  const words = name.word === 'VARYING' ? [items[open - 2]?.token.text, name.token.text] : [name.token.text];
  return words.join(' ').toLowerCase();
}

/** True where the name that ends at `last` is one of a type. */
function isType(items: readonly OutlineToken[], last: number): boolean {
  const first = firstOf(items, last);
  const before = items[first - 1];
  if (before?.word === '::') return true;
  const call = callAround(items, first)?.name;
  if (before?.word === 'AS') return call === 'CAST';
  return before?.word === ',' && call === 'CONVERT' && converted.has(items[last]?.word ?? '');
}

/** `pg_catalog.numeric`, `character varying`. */
function firstOf(items: readonly OutlineToken[], last: number): number {
  if (items[last - 1]?.word === '.') return last - 2;
  return items[last]?.word === 'VARYING' ? last - 1 : last;
}
