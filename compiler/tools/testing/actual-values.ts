/** Values of a test file as JSON, with values kept by earlier steps inserted. */
import type { MapNode, Node } from '../../read/config/yaml/node.js';
import { keptValue } from './read/read-values.js';

/** Values by the name under which they were kept. */
export type SavedValues = ReadonlyMap<string, unknown>;

/** A string that is a single placeholder becomes the value itself, with its type. */
export function filled(text: string, kept: SavedValues): unknown {
  const whole = /^:\[([^\]]*)\]$/.exec(text)?.[1];
  if (whole !== undefined && kept.has(whole)) return kept.get(whole);
  return filledText(text, kept);
}

/** Replaces placeholders in a string by strings. */
export function filledText(text: string, kept: SavedValues, encode: (text: string) => string = same): string {
  return text.replaceAll(keptValue, (all, name: string) =>
    kept.has(name) ? encode(textOfJson(kept.get(name))) : all,
  );
}

/** The JSON value of a node. */
export function jsonOfNode(node: Node, kept: SavedValues): unknown {
  switch (node.kind) {
    case 'map':
      return Object.fromEntries(
        node.entries.map(({ key, value }) => [key.text.value, jsonOfNode(value, kept)]),
      );
    case 'list':
      return node.items.map((item) => jsonOfNode(item, kept));
    case 'scalar':
      return typeof node.value === 'string' ? filled(node.value, kept) : node.value;
  }
}

/** The entries of a map as strings, for headers and query parameters; a list becomes several entries. */
export function textEntries(map: MapNode | undefined, kept: SavedValues): [string, string][] {
  return (map?.entries ?? []).flatMap(({ key, value }) => {
    const values = value.kind === 'list' ? value.items : [value];
    return values.map((one): [string, string] => [
      key.text.value,
      one.kind === 'scalar' ? filledText(one.text.value, kept) : JSON.stringify(jsonOfNode(one, kept)),
    ]);
  });
}

/** A value as part of a string. */
export function textOfJson(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function same(text: string): string {
  return text;
}
