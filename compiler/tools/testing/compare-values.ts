/** Compares expected with actual values, and reports only differences, each with its path and its span in the test file. */
import type { Entry, MapNode, Node, ScalarNode } from '../../read/config/yaml/node.js';
import type { Span } from '../../read/source.js';
import { filled, type SavedValues } from './actual-values.js';
import { below } from './json-path.js';
import { patternOf, valueKinds } from './read/value-patterns.js';
import { isJsonMap, type JsonMap } from '../../read/json.js';

/** A single difference. `actual` is undefined if the value is missing. */
export interface Difference {
  /** Such as `$.items[2].name`. */
  readonly path: string;
  readonly span: Span;
  readonly message: string;
  /** The edit to the test file that removes the difference. */
  readonly change: Change;
}

export type Change =
  /** The node must get this value. */
  | { readonly kind: 'value'; readonly node: Node; readonly actual: unknown }
  /** The map or list lacks this value. */
  | { readonly kind: 'add'; readonly node: Node; readonly key: string | undefined; readonly actual: unknown }
  /** The map or list has this superfluous member. */
  | { readonly kind: 'remove'; readonly node: Node; readonly entry: Entry | Node };

export interface Comparison {
  readonly kept: SavedValues;
  /** Whether maps may have more fields, and lists more items, than expected. */
  readonly isPartial: boolean;
}

/** The differences, in the order of the expected value. */
export function differences(node: Node, actual: unknown, comparison: Comparison, path = '$'): Difference[] {
  switch (node.kind) {
    case 'map':
      return isJsonMap(actual) ? ofMap(node, actual, comparison, path) : [other(node, actual, path)];
    case 'list':
      if (!Array.isArray(actual)) return [other(node, actual, path)];
      return comparison.isPartial
        ? ofPartialList(node.items, actual, comparison, path, node)
        : ofList(node, actual, comparison, path);
    case 'scalar':
      return matches(node, actual, comparison.kept) ? [] : [other(node, actual, path)];
  }
}

function ofMap(node: MapNode, actual: JsonMap, comparison: Comparison, path: string): Difference[] {
  const keys = new Set(node.entries.map(({ key }) => key.text.value));
  const own = node.entries.flatMap((entry): Difference[] => {
    const key = entry.key.text.value;
    const inner = below(path, key);
    if (Object.hasOwn(actual, key)) return differences(entry.value, actual[key], comparison, inner);
    const message = `expected ${shown(entry.value)}, but it is missing`;
    return [{ path: inner, span: entry.key.span, message, change: { kind: 'remove', node, entry } }];
  });
  if (comparison.isPartial) return own;
  const others = Object.keys(actual).filter((key) => !keys.has(key));
  return [
    ...own,
    ...others.map((key): Difference => {
      const change = { kind: 'add', node, key, actual: actual[key] } as const;
      return {
        path: below(path, key),
        span: node.span,
        message: `not expected, but it is ${shownValue(actual[key])}`,
        change,
      };
    }),
  ];
}

function ofList(
  node: Extract<Node, { kind: 'list' }>,
  actual: readonly unknown[],
  comparison: Comparison,
  path: string,
): Difference[] {
  const count = Math.max(node.items.length, actual.length);
  return Array.from({ length: count }, (_, index) => index).flatMap((index): Difference[] => {
    const item = node.items[index];
    const inner = below(path, index);
    if (item === undefined) {
      const change = { kind: 'add', node, key: undefined, actual: actual[index] } as const;
      return [
        {
          path: inner,
          span: node.span,
          message: `not expected, but it is ${shownValue(actual[index])}`,
          change,
        },
      ];
    }
    if (index < actual.length) return differences(item, actual[index], comparison, inner);
    const message = `expected ${shown(item)}, but it is missing`;
    return [{ path: inner, span: item.span, message, change: { kind: 'remove', node, entry: item } }];
  });
}

/** Expected items must all be found in this order; other items are allowed in between. */
function ofPartialList(
  items: readonly Node[],
  actual: readonly unknown[],
  comparison: Comparison,
  path: string,
  list: Node,
): Difference[] {
  let next = 0;
  return items.flatMap((item, index): Difference[] => {
    const found = actual.findIndex(
      (value, at) => at >= next && differences(item, value, comparison).length === 0,
    );
    if (found !== -1) {
      next = found + 1;
      return [];
    }
    const at = actual[index];
    // For lists of equal length, reports the differences from the item at the same index.
    if (items.length === actual.length && at !== undefined)
      return differences(item, at, comparison, below(path, index));
    const message = `expected ${shown(item)}, and no item is like that${nearestOf(item, actual, comparison)}`;
    return [
      {
        path: below(path, index),
        span: item.span,
        message,
        change: { kind: 'remove', node: list, entry: item },
      },
    ];
  });
}

/** The first item with the fewest differences, which is probably the intended one. */
function nearestOf(item: Node, actual: readonly unknown[], comparison: Comparison): string {
  const counts = actual.map((value) => differences(item, value, comparison).length);
  const nearest = counts.indexOf(Math.min(...counts));
  if (nearest === -1) return ': there is none';
  return `; ${actual.length === 1 ? 'the only one is' : `the nearest of ${actual.length} is`} ${shownValue(actual[nearest])}`;
}

function other(node: Node, actual: unknown, path: string): Difference {
  const message = `expected ${shown(node)}, but it is ${shownValue(actual)}`;
  return { path, span: node.span, message, change: { kind: 'value', node, actual } };
}

/** Whether a value matches a scalar. */
export function matches(node: ScalarNode, actual: unknown, kept: SavedValues): boolean {
  if (typeof node.value !== 'string')
    return node.value === actual || (node.value === null && actual === undefined);
  const pattern = patternOf(node.value);
  switch (pattern.kind) {
    case 'kind':
      return valueKinds[pattern.name](actual);
    case 'regex':
      return (typeof actual === 'string' || typeof actual === 'number') && pattern.regex.test(String(actual));
    case 'text':
      return filled(pattern.text, kept) === actual;
    default:
      return false;
  }
}

/** An expected value, shortened to fit on a line. */
export function shown(node: Node): string {
  return node.kind === 'scalar' && typeof node.value === 'string' && patternOf(node.value).kind !== 'text'
    ? node.value
    : shownValue(plain(node));
}

/** A value, shortened to fit on a line; undefined means missing. */
export function shownValue(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

const longest = 120;

function plain(node: Node): unknown {
  if (node.kind === 'map')
    return Object.fromEntries(node.entries.map(({ key, value }) => [key.text.value, plain(value)]));
  return node.kind === 'list' ? node.items.map(plain) : node.value;
}
