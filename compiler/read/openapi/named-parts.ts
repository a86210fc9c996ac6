/**
 * The parts in a map of names, such as `properties` and `responses`. OpenAPI allows a `$ref` in place of one of them only; in place of their
 * names, as bundlers read it, it is followed all the same.
 */
import type { ListNode, MapNode, Node, ScalarNode } from '../config/yaml/node.js';
import type { Report } from '../diagnostics/report.js';
import type { Documents } from './documents.js';
import type { Document, NodeInFile } from './node-in-file.js';
import { referenceIn } from './pointer.js';

export interface NamedPart {
  readonly key: ScalarNode;
  readonly value: Node;
  /** Its file. */
  readonly document: Document;
}

interface ListInFile extends NodeInFile {
  readonly node: ListNode;
}

export interface MapInFile extends NodeInFile {
  readonly node: MapNode;
}

/**
 * The parts, including those of a map referenced by a `$ref` among the names. The map's own parts come first, and replace others of the
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

/** Receives such references. `isFollowed`: whether it leads to another map of names. */
type Misplaced = (reference: ScalarNode, isFollowed: boolean) => void;

const ignored: Misplaced = () => undefined;

/** `what`: the name of the map in messages. `example`: another valid form, for a reference that does not resolve to such a map. */
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

/** A schema, whose `type` is a string, is no map of schemas. */
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

/** The list, or the list that a `$ref` in its place refers to; undefined without one. */
export function listBehind(
  { node, document }: NodeInFile,
  documents: Pick<Documents, 'target'>,
): ListInFile | undefined {
  if (node.kind === 'list') return { node, document };
  const reference = referenceIn(node);
  const target = reference && documents.target(reference, document);
  return target?.node.kind === 'list' ? { node: target.node, document: target.document } : undefined;
}
