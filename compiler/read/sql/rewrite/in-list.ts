/** `[NOT] IN ( … )` with placeholders: which of its tokens an array replaces at run time (decisions 5.3). */
import { anyOfList } from './any-list.js';
import type { Dialect } from '../dialect.js';
import { listElements } from '../parse/list-elements.js';
import type { Stretch } from '../parse/operand.js';
import type { OutlineToken } from '../parse/outline.js';
import type { SqlPart } from './text-part.js';

/** Tokens `first` to `last` (indexes among all tokens, both included) that parts replace. */
export interface Replacement {
  readonly first: number;
  readonly last: number;
  readonly parts: readonly SqlPart[];
}

export function inListsOf(items: readonly OutlineToken[], dialect: Dialect): Replacement[] {
  return items.flatMap((item, index) => {
    const open = items[index + 1];
    if (item.word !== 'IN' || open?.word !== '(' || open.close === -1 || !isTest(items, index)) return [];
    const parts = dialect === 'postgresql' ? anyOfList(items, index, open.close) : undefined;
    if (parts === undefined) return replacementsOf(items, index, open.close);
    return [{ ...span(items, isNegated(items, index) ? index - 1 : index, open.close), parts }];
  });
}

function isNegated(items: readonly OutlineToken[], index: number): boolean {
  return items[index - 1]?.word === 'NOT';
}

/** `position(a IN (b))` is not a test. */
function isTest(items: readonly OutlineToken[], index: number): boolean {
  const parent = items[index]?.parent ?? -1;
  return parent === -1 || items[parent - 1]?.word !== 'POSITION';
}

/** `index` is that of IN, `close` that of the closing parenthesis. */
function replacementsOf(items: readonly OutlineToken[], index: number, close: number): Replacement[] {
  const elements = listElements(items, index + 2, close, index + 1);
  const bare = elements.map((element) => isBare(items, element));
  const firstOther = bare.indexOf(false);
  if (firstOther === -1) {
    const negated = isNegated(items, index);
    const part: SqlPart = { kind: 'in-list', negated, count: elements.length };
    return [{ ...span(items, negated ? index - 1 : index, close), parts: [part] }];
  }
  return elements.flatMap(({ first, last }, position): Replacement[] => {
    if (bare[position] !== true) return [];
    return position < firstOther
      ? // The comma after it and the white space around the comma are removed; the next element follows at once.
        [{ ...span(items, first, last + 2, -1), parts: [{ kind: 'elements', comma: 'after' }] }]
      : [{ ...span(items, first - 1, last), parts: [{ kind: 'elements', comma: 'before' }] }];
  });
}

function isBare(items: readonly OutlineToken[], { first, last }: Stretch): boolean {
  return first === last && items[first]?.token.kind === 'placeholder';
}

/** `shift` moves the end by tokens. */
function span(
  items: readonly OutlineToken[],
  first: number,
  last: number,
  shift = 0,
): { first: number; last: number } {
  const from = items[first];
  const to = items[last];
  if (from === undefined || to === undefined) throw new Error('an IN list outside its statement');
  return { first: from.index, last: to.index + shift };
}
