/**
 * Reads maps of named parts, such as `properties` and `responses`. OpenAPI allows a `$ref` only in place of a single part, but bundlers
 * also accept it among the names, and so does this reader.
 */
import type { ListNode, MapNode, Node, ScalarNode } from '../config/yaml/node.js';
import type { Report } from '../diagnostics/report.js';
import type { Documents } from './documents.js';
import type { Document, NodeInFile } from './node-in-file.js';
import { referenceIn } from './pointer.js';

export interface NamedPart {
  readonly key: ScalarNode;
  readonly value: Node;
  /** The file of the part. */
  readonly document: Document;
}

interface ListInFile extends NodeInFile {
  readonly node: ListNode;
}

export interface MapInFile extends NodeInFile {
  readonly node: MapNode;
}

/**
 * The parts, including those of a map referenced by a `$ref` among the names. The map's own parts come first, and override others with the
 * same name.
 */
export function namedParts(
  map: MapInFile,
  documents: Pick<Documents, 'target'>,
  misplaced: Misplaced = ignored,
): NamedPart[] {
  const found = new Map<string, NamedPart>();
  const seen = new Set<Node>();
  for (let open: MapInFile | undefined = map; open !== undefined;) {
    const { node, document }: MapInFile = open;
    seen.add(node);
    const reference = referenceIn(node);
    for (const { key, value } of node.entries)
      if (value !== reference && !found.has(key.text.value))
        found.set(key.text.value, { key, value, document });
    if (reference === undefined) break;
    const target = documents.target(reference, document);
    open = target && isMapOfParts(target) && !seen.has(target.node) ? target : undefined;
    if (target !== undefined) misplaced(reference, open !== undefined);
  }
  return [...found.values()];
}

/** Called for such references. `isFollowed`: whether the target is another map of names. */
type Misplaced = (reference: ScalarNode, isFollowed: boolean) => void;

const ignored: Misplaced = () => undefined;

/** `what` is the map's name in messages. `example` returns another valid form, for references to anything but a map of names. */
export function reportMisplaced(
  report: Report,
  what: string,
  example: (reference: string) => string,
): Misplaced {
  return (node, isFollowed) => {
    const { value: reference } = node.text;
    if (isFollowed) report.add('misplaced-reference', node.span, { what, reference });
    else
      report.add('wrong-kind', node.span, {
        what: `'$ref' in ${what}`,
        expected: 'a reference to a map of names',
        example: example(reference),
      });
  };
}

/** Whether the target is a map of parts, not a single schema (whose `type` is a string). */
function isMapOfParts(spot: NodeInFile): spot is MapInFile {
  const { node } = spot;
  return (
    node.kind === 'map' &&
    node.entries.every(({ key, value }) => {
      const { value: name } = key.text;
      const isSchema = value.kind === 'map' || (value.kind === 'scalar' && typeof value.value === 'boolean');
      return isSchema || name === '$ref' || name.startsWith('x-');
    })
  );
}

/** The list, or the list that a `$ref` in its place refers to; undefined if there is none. */
export function listBehind(
  { node, document }: NodeInFile,
  documents: Pick<Documents, 'target'>,
): ListInFile | undefined {
  if (node.kind === 'list') return { node, document };
  const reference = referenceIn(node);
  const target = reference && documents.target(reference, document);
  return target?.node.kind === 'list' ? { node: target.node, document: target.document } : undefined;
}
