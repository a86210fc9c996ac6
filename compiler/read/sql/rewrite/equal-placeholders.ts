/**
 * Placeholders that are one parameter on PostgreSQL: `GROUP BY date_trunc(:[PARAM(unit)], at)` is the expression of the
 * SELECT list only where both have the same `$1` (decisions 11.2).
 */
import type { Expression } from '../../expression/ast.js';
import { levelsOf } from '../parse/select-levels.js';
import { listElements } from '../parse/list-elements.js';
import type { Stretch } from '../parse/operand.js';
import type { OutlineToken } from '../parse/outline.js';
import { wordSet } from '../lexer/word-set.js';

/** The placeholders that equal an earlier one, by the indexes of their items. */
export function equalPlaceholders(items: readonly OutlineToken[]): ReadonlyMap<number, number> {
  const levels = levelsOf(items);
  const compared = comparable(items);
  const positions = new Map(compared.map(({ index }, position) => [index, position]));
  const byKey = new Map<string, number[]>();
  for (const [position, { key }] of compared.entries()) {
    const others = byKey.get(key);
    if (others === undefined) byKey.set(key, [position]);
    else others.push(position);
  }
  const alike = (position: number): readonly number[] => byKey.get(compared[position]?.key ?? '') ?? [];
  const same = new Union();
  const seen = new Set<string>();
  for (const { first, last } of sortElements(items)) {
    const [from, to] = [positions.get(first), positions.get(last)];
    if (from === undefined || to === undefined) continue;
    const stretch = compared.slice(from, to + 1);
    const placeholders = [...stretch.keys()].filter((offset) => isPlaceholder(items, stretch[offset]));
    // One that is written again matches what the first one matches.
    const written = JSON.stringify([levels[first]?.select, ...stretch.map(({ key }) => key)]);
    if (placeholders.length === 0 || seen.has(written)) continue;
    seen.add(written);
    const rarest = [...stretch.keys()].reduce((best, offset) =>
      alike(from + offset).length < alike(from + best).length ? offset : best,
    );
    for (const other of alike(from + rarest)) {
      const start = other - rarest;
      if (start === from || !matches(compared, from, to, start)) continue;
      for (const offset of placeholders) {
        const [index, found] = [compared[from + offset]?.index ?? -1, compared[start + offset]?.index ?? -1];
        if (levels[found]?.select === levels[index]?.select) same.add(found, index);
      }
    }
  }
  return same.earlier();
}

function isPlaceholder(items: readonly OutlineToken[], compared: Comparable | undefined): boolean {
  return compared !== undefined && items[compared.index]?.token.kind === 'placeholder';
}

export interface Comparable {
  readonly index: number;
  /** Equal for items that mean the same. */
  readonly key: string;
}

/** The items without the `t.` before columns: `e.at` can be the same column as `at`. */
export function comparable(items: readonly OutlineToken[]): Comparable[] {
  return items.flatMap((item, index) => {
    const { token, word } = item;
    if (items[index + 1]?.word === '.' || word === '.') return [];
    if (token.kind !== 'placeholder') return [{ index, key: word === '' ? token.text : word }];
    const { expression } = token;
    return [{ index, key: expression === undefined ? `:${index}` : `:[${expressionKey(expression)}]` }];
  });
}

function matches(compared: readonly Comparable[], from: number, to: number, start: number): boolean {
  for (let offset = 0; offset <= to - from; offset += 1) {
    if (compared[from + offset]?.key !== compared[start + offset]?.key) return false;
  }
  return true;
}

const endsOrder = wordSet('ASC DESC USING NULLS');
const groups = wordSet('ROLLUP CUBE SETS');

/** The items between the commas of GROUP BY, ORDER BY and DISTINCT ON that contain a placeholder. */
export function sortElements(items: readonly OutlineToken[]): Stretch[] {
  const elements: Stretch[] = [];
  const split = (first: number, end: number, parent: number): void => {
    for (const element of listElements(items, first, end, parent)) addElement(element.first, element.last);
  };
  const addElement = (first: number, whole: number): void => {
    let last = first;
    while (last < whole && !endsOrder.has(items[last + 1]?.word ?? '')) last += 1;
    const open =
      groups.has(items[first]?.word ?? '') || items[first]?.word === 'GROUPING' ? first + 1 : first;
    const from = items[open]?.word === '(' ? open : open + 1;
    const inner = items[from];
    if (inner?.word === '(' && inner.close === last) split(from + 1, last, from);
    if (last >= first) elements.push({ first, last });
  };
  for (const [index, item] of items.entries()) {
    const before = items[index - 1]?.word ?? '';
    // Not the ORDER BY of an aggregate or a window.
    const isClause = item.parent === -1 || items[item.parent]?.opensStatement === true;
    if (item.word === 'BY' && (before === 'GROUP' || before === 'ORDER') && isClause)
      split(index + 1, endOfClause(items, index), item.parent);
    else if (
      item.word === '(' &&
      before === 'ON' &&
      items[index - 2]?.word === 'DISTINCT' &&
      item.close !== -1
    )
      split(index + 1, item.close, index);
  }
  return elements;
}

/** The index after the clause of the item at `index`. */
function endOfClause(items: readonly OutlineToken[], index: number): number {
  const from = items[index];
  let end = index + 1;
  for (; end < items.length; end += 1) {
    const item = items[end];
    if (from === undefined || item === undefined) break;
    if (item.parent === from.parent && item.clause !== from.clause) break;
    if (end === items[from.parent]?.close) break;
  }
  return end;
}

/** Sets of equal indexes, each identified by its smallest. */
class Union {
  readonly #parents = new Map<number, number>();

  add(one: number, other: number): void {
    const [a, b] = [this.#rootOf(one), this.#rootOf(other)];
    if (a !== b) this.#parents.set(Math.max(a, b), Math.min(a, b));
  }

  earlier(): ReadonlyMap<number, number> {
    return new Map([...this.#parents.keys()].map((index) => [index, this.#rootOf(index)]));
  }

  #rootOf(index: number): number {
    let root = index;
    for (;;) {
      const parent = this.#parents.get(root);
      if (parent === undefined) break;
      root = parent;
    }
    // The next who asks has a short way.
    if (root !== index) this.#parents.set(index, root);
    return root;
  }
}

/** Equal for expressions that differ only in their spans. */
function expressionKey(expression: Expression): string {
  return JSON.stringify(expression, (name, value: unknown) =>
    name === 'span' || name === 'nameSpan' ? undefined : value,
  );
}
