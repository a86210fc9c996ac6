/**
 * `IN (:[list])` on PostgreSQL is `= ANY(:[list])`, `NOT IN` is `<> ALL`: one array is one parameter, however long it is, and
 * the same text. They agree in everything: null finds nothing, an empty list nothing, outside of an empty list is everything.
 */
import type { OutlineToken } from '../parse/outline.js';
import type { SqlPart } from './text-part.js';
import { wordSet } from '../lexer/word-set.js';

/**
 * The replacement of the test; `index` is that of IN, `close` that of the closing parenthesis. Undefined unless the list is exactly one
 * placeholder, with or without a cast, or if `=` would bind to the text before it.
 */
export function anyOfList(
  items: readonly OutlineToken[],
  index: number,
  close: number,
): SqlPart[] | undefined {
  if (items[index + 2]?.token.kind !== 'placeholder') return undefined;
  const cast = arrayCast(items.slice(index + 3, close));
  if (cast === undefined || isCompared(items, index)) return undefined;
  const isLower = items[index]?.token.text === 'in';
  const [any, all] = isLower ? ['any', 'all'] : ['ANY', 'ALL'];
  const test = items[index - 1]?.word === 'NOT' ? `<> ${all}` : `= ${any}`;
  return [{ kind: 'text', text: `${test}(` }, { kind: 'value' }, { kind: 'text', text: `${cast})` }];
}

/** `::int` as `::int[]`; empty without a cast, undefined if it is not a type. */
function arrayCast(items: readonly OutlineToken[]): string | undefined {
  if (items.length === 0) return '';
  const [cast, ...type] = items;
  if (cast?.word !== '::' || type.length === 0) return undefined;
  let text = '';
  let parentheses = 0;
  for (const { token, word } of type) {
    if (word === '(') parentheses += 1;
    const isInside = parentheses > 0 && (token.kind === 'number' || word === ',');
    const isName = token.kind === 'word' || token.kind === 'quoted-name' || word === '.';
    if (!isName && !isInside && word !== '(' && word !== ')') return undefined;
    text += /\w$/.test(text) && token.kind === 'word' ? ` ${token.text}` : token.text;
  }
  return `::${text}[]`;
}

/** Where an operand begins at the latest. */
const beforeOperand = wordSet(`
  , AND OR NOT WHERE ON HAVING WHEN CASE THEN ELSE SELECT DISTINCT ALL BY RETURNING VALUES USING FILTER
`);

const comparisons = new Set(['=', '<', '>', '<=', '>=', '<>', '!=']);

/** `a = b IN (…)` is `a = (b IN (…))`, and `a = b = ANY (…)` is invalid. */
function isCompared(items: readonly OutlineToken[], index: number): boolean {
  const { parent } = items[index] ?? {};
  let position = items[index - 1]?.word === 'NOT' ? index - 2 : index - 1;
  for (; position >= 0; position -= 1) {
    const item = items[position];
    if (item === undefined || position === parent) return false;
    if (item.parent !== parent) continue;
    if (beforeOperand.has(item.word)) return false;
    if (!/^[-+*/<>=~!@#%^&|`?]$/.test(item.word)) continue;
    let operator = item.word;
    // An operator of several characters: `->>` compares nothing.
    while (items[position - 1]?.index === (items[position]?.index ?? 0) - 1) {
      const before = items[position - 1]?.word ?? '';
      if (!/^[-+*/<>=~!@#%^&|`?]$/.test(before)) break;
      operator = before + operator;
      position -= 1;
    }
    if (comparisons.has(operator)) return true;
  }
  return false;
}
