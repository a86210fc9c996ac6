/** The content of a line, for the rules that find wrong lines: a dash, a key, the beginning of a block. */
import { isField, type Context } from './yaml-contexts.js';
import { colonOf, nameOfKey } from './yaml-lines.js';

/** A name, as most keys are. */
export const word = /^[\p{L}_][\p{L}\p{N}_-]*/u;

export function isDash(written: string): boolean {
  return /^-(?:\s|$)/.test(written);
}

/** The key with which a line begins, after its dashes. */
export function keyIn(written: string): string | undefined {
  const behind = written.replace(/^(?:-[ \t]+)+/, '');
  const colon = colonOf(behind);
  if (colon !== undefined) return nameOfKey(behind.slice(0, colon));
  return undefined;
}

/** Whether a line below a string is no longer part of it: `key:` with a usual name. */
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

/** How well the key matches there: 0 for one of the fields, 2 for an unknown one. */
export function gradeOf(context: Context, key: string): number {
  if (context === 'operations' && /^[A-Z]+ \//.test(key)) return 0;
  const known = isField(context, key);
  return known === undefined ? 1 : known ? 0 : 2;
}

/** The column after the indentation if tabs have that width. */
export function columnWith(before: string, width: number): number {
  let column = 0;
  for (const character of before) column += character === '\t' ? width : 1;
  return column;
}
