/** The YAML tree used by the readers. Aliases and merge keys are resolved, and every node has its span. */
import type { Span, ScalarText } from '../../source.js';

export interface ScalarNode {
  readonly kind: 'scalar';
  /** The YAML value: a number for `12`, a string for `'12'`, null for an empty value. */
  readonly value: null | boolean | number | string;
  /** The characters as written, with escapes and folding resolved: `0123` is "0123". */
  readonly text: ScalarText;
  readonly style: 'plain' | 'quoted' | 'block';
  readonly span: Span;
  /** Set if the value could not be read (already reported): suppresses further diagnostics. */
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
  /** Set if a merge key could not be read (already reported): further entries may be missing. */
  readonly isIncomplete?: true;
}

export interface ListNode {
  readonly kind: 'list';
  readonly items: readonly Node[];
  readonly span: Span;
}

export type Node = ScalarNode | MapNode | ListNode;

/** The entry with that key; undefined if missing. */
export function entryOf(map: MapNode, key: string): Entry | undefined {
  return map.entries.find((entry) => entry.key.text.value === key);
}

/** The map under that key; undefined for any other value. */
export function mapAt(map: MapNode, key: string): MapNode | undefined {
  const value = entryOf(map, key)?.value;
  return value?.kind === 'map' ? value : undefined;
}

/** The string under that key; undefined for maps and lists. */
export function textAt(map: MapNode, key: string): string | undefined {
  const value = entryOf(map, key)?.value;
  return value?.kind === 'scalar' ? value.text.value : undefined;
}

/** True for a value that could not be read. */
export function isBroken(node: Node): boolean {
  return node.kind === 'scalar' && node.isBroken === true;
}

/** True for a missing value, as in `key:`. */
export function isEmpty(node: Node): boolean {
  return !isBroken(node) && node.kind === 'scalar' && node.style === 'plain' && node.text.value === '';
}
