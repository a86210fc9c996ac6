/** The YAML tree for the readers: aliases and merge keys are resolved, and every node has its span. */
import type { Span, ScalarText } from '../../source.js';

export interface ScalarNode {
  readonly kind: 'scalar';
  /** The value that YAML reads: the number of `12`, the string of `'12'`, null for nothing. */
  readonly value: null | boolean | number | string;
  /** The characters as they are written, escapes and folds resolved: `0123` is "0123". */
  readonly text: ScalarText;
  readonly style: 'plain' | 'quoted' | 'block';
  readonly span: Span;
  /** Set if the value could not be read, which has been reported: then nothing more is reported of it. */
  readonly isBroken?: true;
}

export interface Entry {
  readonly key: ScalarNode;
  readonly value: Node;
}

export interface MapNode {
  readonly kind: 'map';
  readonly entries: readonly Entry[];
  readonly span: Span;
  /** Set where a merge key could not be read, which has been reported: other entries may be missing. */
  readonly isIncomplete?: true;
}

export interface ListNode {
  readonly kind: 'list';
  readonly items: readonly Node[];
  readonly span: Span;
}

export type Node = ScalarNode | MapNode | ListNode;

/** The value of the entry with that key; undefined if it is missing. */
export function entryOf(map: MapNode, key: string): Entry | undefined {
  return map.entries.find((entry) => entry.key.text.value === key);
}

/** The map under that key; undefined for another value. */
export function mapAt(map: MapNode, key: string): MapNode | undefined {
  const value = entryOf(map, key)?.value;
  return value?.kind === 'map' ? value : undefined;
}

/** The characters of the value under that key; undefined for a map or list. */
export function textAt(map: MapNode, key: string): string | undefined {
  const value = entryOf(map, key)?.value;
  return value?.kind === 'scalar' ? value.text.value : undefined;
}

/** True for a value that could not be read. */
export function isBroken(node: Node): boolean {
  return node.kind === 'scalar' && node.isBroken === true;
}

/** True for an empty entry: `key:` without a value. */
export function isEmpty(node: Node): boolean {
  return !isBroken(node) && node.kind === 'scalar' && node.style === 'plain' && node.text.value === '';
}
