/** Examines the content of a line for the rules that find wrong lines: dashes, keys, the beginning of blocks. */
import { isField, type Context } from './yaml-contexts.js';
import { colonOf, nameOfKey } from './yaml-lines.js';

/** A name, the most common form of keys. */
export const word = /^[\p{L}_][\p{L}\p{N}_-]*/u;

export function isDash(written: string): boolean {
  return /^-(?:\s|$)/.test(written);
}

/** The key at the beginning of the line, after any dashes. */
export function keyIn(written: string): string | undefined {
  const behind = written.replace(/^(?:-[ \t]+)+/, '');
  const colon = colonOf(behind);
  if (colon !== undefined) return nameOfKey(behind.slice(0, colon));
  return undefined;
}

/** Whether a line below a string is not part of the string, because it begins with a key of a usual form. */
export function looksLikeKey(written: string): boolean {
  const key = keyIn(written);
  return (
    key !== undefined &&
    (/^['"]/.test(written.replace(/^(?:-[ \t]+)+/, '')) ||
      /^(?:[A-Z]+ \/[^\s]*|[\p{L}_$/][^\s]*)$/u.test(key))
  );
}

/** Whether the value of the line's key is on the lines below. */
export function opensBlock(written: string): boolean {
  return /[:-](?:[ \t]+(?:[|>][-+\d]*|[&!][^\s]*))?(?:[ \t]+#.*)?$/.test(written);
}

/** How well the key suits the context: 0 for a known field, 2 for an unknown one. */
export function gradeOf(context: Context, key: string): number {
  if (context === 'operations' && /^[A-Z]+ \//.test(key)) return 0;
  const known = isField(context, key);
  return known === undefined ? 1 : known ? 0 : 2;
}

/** The column after the indentation, for tabs of that width. */
export function columnWith(before: string, width: number): number {
  let column = 0;
  for (const character of before) column += character === '\t' ? width : 1;
  return column;
}
