/** The surroundings of a placeholder: grouping parentheses, the operators beside it, the call that it is an argument of. */
import type { OutlineToken } from './outline.js';
import { wordSet } from '../lexer/word-set.js';

/** Items `first` to `last`, both included. */
export interface Stretch {
  readonly first: number;
  readonly last: number;
}

/** Keywords that an operand follows; a parenthesis after one of them, a comma or an operator is not a call. */
const beforeOperand = wordSet(`
  SELECT DISTINCT ALL WHERE HAVING ON AND OR NOT CASE WHEN THEN ELSE BY SET RETURNING VALUES BETWEEN LIKE ILIKE FROM FOR LIMIT
  OFFSET USING AS
`);

/** The placeholder at `index` with the parentheses that are around nothing else: `((:[x]))`. */
export function groupedAt(items: readonly OutlineToken[], index: number): Stretch {
  let first = index;
  let last = index;
  while (items[first - 1]?.word === '(' && items[last + 1]?.word === ')' && groups(items[first - 2])) {
    first -= 1;
    last += 1;
  }
  return { first, last };
}

function groups(beforeParenthesis: OutlineToken | undefined): boolean {
  // `VALUES (:[x])` is a row.
  if (beforeParenthesis?.word === 'VALUES') return false;
  if (beforeParenthesis === undefined || beforeOperand.has(beforeParenthesis.word)) return true;
  return beforeParenthesis.token.kind === 'operator' && !')]'.includes(beforeParenthesis.word);
}

/** The index of the placeholder that is the whole range; undefined for anything else. */
export function placeholderIn(items: readonly OutlineToken[], { first, last }: Stretch): number | undefined {
  let [from, to] = [first, last];
  while (from < to && items[from]?.word === '(' && items[from]?.close === to) {
    from += 1;
    to -= 1;
  }
  return from === to && items[from]?.token.kind === 'placeholder' ? from : undefined;
}

/** True for a string alone, which has no type of its own on PostgreSQL. */
export function isString(items: readonly OutlineToken[], { first, last }: Stretch): boolean {
  return first === last && items[first]?.token.kind === 'literal';
}

const operatorCharacters = '+-*/<>=~!@#%^&|?';

/** The operator that ends at `index`, and the index before it; empty if there is none. */
export function operatorBefore(
  items: readonly OutlineToken[],
  index: number,
): { text: string; before: number } {
  let before = index;
  let text = '';
  for (;;) {
    const item = items[before];
    if (item === undefined || !isOperator(item)) break;
    if (text !== '' && item.token.end !== items[before + 1]?.token.start) break;
    text = item.token.text + text;
    before -= 1;
  }
  // `a = -1`: a sign after another operator is unary.
  return { text, before };
}

/** The operator that begins at `index`, and the index after it; empty if there is none. */
export function operatorAfter(
  items: readonly OutlineToken[],
  index: number,
): { text: string; after: number } {
  let after = index;
  let text = '';
  for (;;) {
    const item = items[after];
    if (item === undefined || !isOperator(item)) break;
    if (text !== '' && item.token.start !== items[after - 1]?.token.end) break;
    text += item.token.text;
    after += 1;
  }
  return { text, after };
}

function isOperator({ token }: OutlineToken): boolean {
  return (
    (token.kind === 'operator' || token.kind === 'question') &&
    operatorCharacters.includes(token.text.charAt(0))
  );
}

/** True where the item can be the end of an operand, so that an operator behind it has a left side. */
export function endsOperand(item: OutlineToken | undefined): boolean {
  if (item === undefined) return false;
  if (item.token.kind === 'operator') return item.word === ')' || item.word === ']';
  return !beforeOperand.has(item.word);
}

export interface Call {
  /** In upper case. */
  readonly name: string;
  /** Its opening parenthesis. */
  readonly open: number;
}

/** The built-in function that the parentheses right around `index` call; undefined where they are of another kind. */
export function callAround(items: readonly OutlineToken[], index: number): Call | undefined {
  const open = items[index]?.parent ?? -1;
  const called = items[open - 1];
  if (called === undefined || called.token.kind !== 'word') return undefined;
  // `app.concat(…)` is somebody's own function.
  if (items[open - 2]?.word === '.' && items[open - 3]?.word !== 'PG_CATALOG') return undefined;
  return { name: called.word, open };
}

/** The arguments between the parentheses, apart at `separators`. */
export function argumentsOf(
  items: readonly OutlineToken[],
  open: number,
  separators: ReadonlySet<string> = new Set([',']),
): Stretch[] {
  const close = items[open]?.close ?? -1;
  const found: Stretch[] = [];
  let first = open + 1;
  let brackets = 0;
  for (let index = first; index <= close; index += 1) {
    const item = items[index];
    if (item?.parent === open) brackets += bracketOf(item);
    const isBetween = item?.parent === open && brackets === 0 && separators.has(item.word);
    if (index !== close && !isBetween) continue;
    found.push({ first, last: index - 1 });
    first = index + 1;
  }
  return found;
}

/** True if `index` is in brackets inside of the enclosing parentheses: `concat(ARRAY[1, :[x]])`. */
export function isInArray(items: readonly OutlineToken[], index: number): boolean {
  const { parent: open = -1 } = items[index] ?? {};
  let brackets = 0;
  for (let at = open + 1; at < index; at += 1) {
    const item = items[at];
    if (item?.parent === open) brackets += bracketOf(item);
  }
  return brackets > 0;
}

/** The elements of the `ARRAY[…]` that the operand is one of, as a whole. */
export function elementsAround(
  items: readonly OutlineToken[],
  { first, last }: Stretch,
): Stretch[] | undefined {
  const isInside = items[first]?.inBrackets === true;
  const isWhole = [',', '['].includes(items[first - 1]?.word ?? '') && endsElement(items[last + 1]);
  if (!isInside || !isWhole) return undefined;
  const open = bracketBefore(items, first);
  if (items[open - 1]?.word !== 'ARRAY') return undefined;
  const found: Stretch[] = [];
  const { parent } = items[open] ?? {};
  let start = open + 1;
  let brackets = 0;
  for (let index = start; index < items.length; index += 1) {
    const item = items[index];
    if (item?.parent !== parent) continue;
    if (brackets === 0 && endsElement(item)) {
      found.push({ first: start, last: index - 1 });
      if (item?.word === ']') return found;
      start = index + 1;
    }
    if (item !== undefined) brackets += bracketOf(item);
  }
  return undefined;
}

function endsElement(item: OutlineToken | undefined): boolean {
  return item?.word === ',' || item?.word === ']';
}

/** The bracket that is open at `index`; -1 if there is none. */
function bracketBefore(items: readonly OutlineToken[], index: number): number {
  const { parent } = items[index] ?? {};
  let brackets = 0;
  for (let at = index - 1; at >= 0; at -= 1) {
    const item = items[at];
    if (item?.parent !== parent) continue;
    if (item?.word === '[' && brackets === 0) return at;
    if (item !== undefined) brackets += bracketOf(item);
  }
  return -1;
}

/** What the item changes in the number of open brackets. */
function bracketOf({ word }: OutlineToken): number {
  if (word === '[') return 1;
  return word === ']' ? -1 : 0;
}
