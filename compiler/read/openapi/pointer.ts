/** JSON pointers (RFC 6901): the part of a `$ref` after the `#`. */
import { entryOf, type MapNode, type Node, type ScalarNode } from '../config/yaml/node.js';
import type { Document, NodeInFile } from './node-in-file.js';

/** The target of a pointer, or information about its first invalid step. */
export type Found =
  | { readonly spot: NodeInFile }
  | {
      /** The step without a target. */
      readonly token: string;
      /** The pointer up to that step. */
      readonly prefix: string;
      /** The names that exist at that position. */
      readonly known: readonly string[];
    };

/** The steps of a pointer; undefined if invalid. */
export function pointerTokens(pointer: string): string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((token) => unescape(token));
}

/** Follows the steps from a node. `follow` resolves references along the way. */
export function followPointer(
  start: NodeInFile,
  tokens: readonly string[],
  follow: (reference: ScalarNode, from: Document) => NodeInFile | undefined,
  children: Children = new Children(),
): Found {
  let spot = start;
  for (const [index, token] of tokens.entries()) {
    const inner = children.of(spot.node, token) === undefined ? referenceIn(spot.node) : undefined;
    spot = (inner && follow(inner, spot.document)) ?? spot;
    const next = children.of(spot.node, token);
    if (next === undefined) {
      const prefix = tokens
        .slice(0, index)
        .map((step) => `/${escapeToken(step)}`)
        .join('');
      return { token, prefix, known: namesIn(spot.node) };
    }
    spot = { node: next, document: spot.document };
  }
  return { spot };
}

/** The `$ref` of a map, if any. */
export function referenceIn(node: Node): ScalarNode | undefined {
  const value = node.kind === 'map' ? entryOf(node, '$ref')?.value : undefined;
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value : undefined;
}

/** Escapes a step for use in a pointer. */
export function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The children of nodes by name, indexed for fast access. For duplicate names, the first entry counts. */
export class Children {
  readonly #byName = new Map<Node, ReadonlyMap<string, Node>>();

  of(node: Node, token: string): Node | undefined {
    if (node.kind === 'list') return /^\d+$/.test(token) ? node.items[Number(token)] : undefined;
    if (node.kind !== 'map') return undefined;
    const known = this.#byName.get(node) ?? childrenOf(node);
    this.#byName.set(node, known);
    return known.get(token);
  }
}

function childrenOf({ entries }: MapNode): ReadonlyMap<string, Node> {
  const children = new Map<string, Node>();
  for (const { key, value } of entries) {
    if (!children.has(key.text.value)) children.set(key.text.value, value);
  }
  return children;
}

function namesIn(node: Node): string[] {
  return node.kind === 'map' ? node.entries.map(({ key }) => key.text.value) : [];
}

function unescape(token: string): string {
  let decoded = token;
  try {
    decoded = decodeURIComponent(token);
  } catch {
    // A literal percent sign.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
}
