/**
 * Fields written in the wrong resource. They are reported there, and also read where they belong, so that they are not reported as missing.
 */
import { fieldTable, requiredIn, type Kind } from './field-table.js';
import { fulfillmentFields } from './meant-fields.js';
import { contextBelow, isKind, type Context } from './yaml/yaml-contexts.js';
import { entryOf, type Entry, type MapNode, type Node } from './yaml/node.js';

/** Fields whose absence causes a separate error, in addition to the required fields. */
const needed: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  operation: ['fulfillments', 'responses', 'triggers', 'transaction'],
  fulfillment: [
    ...['datasource', 'instructions', 'queries', 'join', 'loop', 'fulfillments'],
    ...['operationName', 'parameters', 'index', 'order', 'page', 'filter', 'function', 'returns'],
  ],
  instruction: ['query', 'request', 'sql', 'message'],
  sql: ['parameters'],
  response: ['if', 'contentType', 'schema'],
};

/** Fields that several resources can share when misplaced. */
const shared: ReadonlySet<string> = new Set(['datasource', 'type']);

/** Groups of fields of which a resource has only one. */
const alternatives: readonly (readonly string[])[] = [
  ['instructions', 'queries', 'loop', 'operationName'],
  ['query', 'request', 'sql', 'message'],
];

/** A copy of the operation in which misplaced fields (nested too deep or not deep enough) are added to the map that lacks them. */
export function withMovedFields(operation: MapNode): MapNode {
  const strange = new Set<string>();
  collectStrange(operation, 'operation', strange);
  return strange.size === 0 ? operation : new Mover(strange).moved(operation, 'operation', []);
}

/** Collects the names of all entries that are not valid fields in their map. */
function collectStrange(node: Node, context: Context, names: Set<string>): void {
  if (!isKind(context) || node.kind === 'scalar') return;
  if (node.kind === 'list') for (const item of node.items) collectStrange(item, context, names);
  else
    for (const { key, value } of node.entries) {
      const field = key.text.value;
      if (!isKnown(context, field)) names.add(field);
      else collectStrange(value, contextBelow(context, field), names);
    }
}

class Mover {
  readonly #used = new Set<Entry>();

  constructor(private readonly strange: ReadonlySet<string>) {}

  /** `outside` contains the invalid entries of the surrounding maps. */
  moved(map: MapNode, context: Kind, outside: readonly Entry[]): MapNode {
    const strange = map.entries.filter(({ key }) => !isKnown(context, key.text.value));
    const around = [...outside, ...strange];
    const found: Entry[] = [];
    for (const field of lacking(map, context)) {
      if (!this.strange.has(field)) continue;
      const entry = outside.find((one) => one.key.text.value === field && !this.#used.has(one));
      const moved = entry ?? this.#below(map, context, field);
      if (moved === undefined || found.some(({ key }) => areAlternatives(key.text.value, field))) continue;
      if (!shared.has(field) || entry === undefined) this.#used.add(moved);
      found.push(moved);
    }
    const inside = map.entries.map(({ key, value }): Entry => {
      const below = contextBelow(context, key.text.value);
      return isKnown(context, key.text.value) && isKind(below)
        ? { key, value: this.#inside(value, below, around) }
        : { key, value };
    });
    // Unchanged maps keep their identity.
    const isSame = inside.every(({ value }, index) => value === map.entries[index]?.value);
    return found.length === 0 && isSame
      ? map
      : { ...map, entries: [...(isSame ? map.entries : inside), ...found] };
  }

  #inside(node: Node, context: Kind, outside: readonly Entry[]): Node {
    if (node.kind === 'map') return this.moved(node, context, outside);
    if (node.kind !== 'list') return node;
    const items = node.items.map((item) => (item.kind === 'map' ? this.moved(item, context, outside) : item));
    return items.every((item, index) => item === node.items[index]) ? node : { ...node, items };
  }

  /** The field in a nested resource that cannot have it. */
  #below(map: MapNode, context: Kind, field: string): Entry | undefined {
    for (const { key, value } of map.entries) {
      const below = contextBelow(context, key.text.value);
      if (!isKind(below)) continue;
      for (const item of value.kind === 'list' ? value.items : [value]) {
        if (item.kind !== 'map') continue;
        const own = isKnown(below, field) ? undefined : entryOf(item, field);
        const found = own !== undefined && !this.#used.has(own) ? own : this.#below(item, below, field);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }
}

function isKnown(kind: Kind, field: string): boolean {
  return Object.hasOwn(fieldTable[kind], field);
}

/** Fields missing from the resource that it may need. */
function lacking(map: MapNode, kind: Kind): readonly string[] {
  const written = map.entries.map(({ key }) => key.text.value);
  const ofType = kind === 'fulfillment' ? fieldsOfType(map) : undefined;
  return [...requiredIn(fieldTable[kind]), ...(needed[kind] ?? [])].filter(
    (field) =>
      !written.some((other) => other === field || areAlternatives(other, field)) &&
      ofType?.includes(field) !== false,
  );
}

function areAlternatives(field: string, other: string): boolean {
  return alternatives.some((fields) => fields.includes(field) && fields.includes(other));
}

/** The fields of this fulfillment type in both syntaxes; undefined if the type is unknown. */
function fieldsOfType(map: MapNode): readonly string[] | undefined {
  const type = entryOf(map, 'type')?.value;
  const written = type?.kind === 'scalar' ? type.text.value.toLowerCase() : '';
  const all = [...Object.entries(fulfillmentFields.A), ...Object.entries(fulfillmentFields.B)];
  const fields = all.flatMap(([name, own]) => (name.toLowerCase() === written ? own : []));
  // `index` is listed for LOOP only because it gets a specific message; it is never valid there.
  if (written === 'loop') return fields.filter((field) => field !== 'index');
  return fields.length === 0 ? undefined : fields;
}
