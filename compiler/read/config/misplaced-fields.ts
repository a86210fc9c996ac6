/** Fields that are written in another resource than theirs: reported there, and read where they belong, so that nothing is reported as missing. */
import { fulfillmentFields, resourceFields } from './resource-fields.js';
import { contextBelow, type Context } from './yaml/yaml-contexts.js';
import { entryOf, type Entry, type MapNode, type Node } from './yaml/node.js';

/** Fields without which there is another error, by their resource. */
const needed: Readonly<Record<string, readonly string[]>> = {
  'an operation': ['fulfillments', 'responses', 'triggers', 'transaction'],
  'a fulfillment': [
    ...['name', 'type', 'datasource', 'instructions', 'queries', 'join', 'loop', 'fulfillments'],
    ...['operationName', 'parameters', 'index', 'order', 'page', 'function', 'returns'],
  ],
  'an instruction': ['query', 'request', 'sql'],
  'a query': ['query'],
  'an instruction with sql': ['query', 'parameters'],
  'a request': ['url', 'httpType'],
  'a retry': ['times'],
  pages: ['next', 'max'],
  "'signature'": ['scheme', 'secret'],
  'the body of a request': ['contentType', 'schema'],
  'an exception': ['if', 'statuscode', 'message'],
  'a response': ['name', 'default', 'if', 'statuscode', 'contentType', 'schema'],
  'a trigger': ['name', 'cron'],
};

/** Written once for several resources. */
const shared: ReadonlySet<string> = new Set(['datasource', 'type']);

/** Of these a resource has one. */
const alternatives: readonly (readonly string[])[] = [
  ['instructions', 'queries', 'loop', 'operationName'],
  ['query', 'request', 'sql'],
];

/** The operation, in which each field that is written one or more levels too far in or out is also in the map that lacks it. */
export function withMovedFields(operation: MapNode): MapNode {
  const strange = new Set<string>();
  collectStrange(operation, 'an operation', strange);
  return strange.size === 0 ? operation : new Mover(strange).moved(operation, 'an operation', []);
}

/** The names of all entries that are no fields where they are. */
function collectStrange(node: Node, context: Context, names: Set<string>): void {
  if (!isResource(context) || node.kind === 'scalar') return;
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

  /** `outside`: entries of the maps around it that are no fields there. */
  moved(map: MapNode, context: Context, outside: readonly Entry[]): MapNode {
    if (!isResource(context)) return map;
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
      return isKnown(context, key.text.value) && isResource(below)
        ? { key, value: this.#inside(value, below, around) }
        : { key, value };
    });
    // Objects are kept where nothing has changed.
    const isSame = inside.every(({ value }, index) => value === map.entries[index]?.value);
    return found.length === 0 && isSame
      ? map
      : { ...map, entries: [...(isSame ? map.entries : inside), ...found] };
  }

  #inside(node: Node, context: Context, outside: readonly Entry[]): Node {
    if (node.kind === 'map') return this.moved(node, context, outside);
    if (node.kind !== 'list') return node;
    const items = node.items.map((item) => (item.kind === 'map' ? this.moved(item, context, outside) : item));
    return items.every((item, index) => item === node.items[index]) ? node : { ...node, items };
  }

  /** The field in a resource inside of this one, which cannot have it. */
  #below(map: MapNode, context: Context, field: string): Entry | undefined {
    for (const { key, value } of map.entries) {
      const below = contextBelow(context, key.text.value);
      if (!isResource(below)) continue;
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

const resources: Readonly<Record<string, readonly string[]>> = resourceFields;

function isResource(context: Context): context is string {
  return context !== undefined && Object.hasOwn(needed, context);
}

function isKnown(context: string, field: string): boolean {
  return resources[context]?.includes(field) === true;
}

/** The fields that the resource does not have, and that it may need. */
function lacking(map: MapNode, context: string): readonly string[] {
  const written = map.entries.map(({ key }) => key.text.value);
  const ofType = context === 'a fulfillment' ? fieldsOfType(map) : undefined;
  return (needed[context] ?? []).filter(
    (field) =>
      !written.some((other) => other === field || areAlternatives(other, field)) &&
      ofType?.includes(field) !== false,
  );
}

function areAlternatives(field: string, other: string): boolean {
  return alternatives.some((fields) => fields.includes(field) && fields.includes(other));
}

/** The fields of a fulfillment of this type in both syntaxes; undefined if the type is not known. */
function fieldsOfType(map: MapNode): readonly string[] | undefined {
  const type = entryOf(map, 'type')?.value;
  const written = type?.kind === 'scalar' ? type.text.value.toLowerCase() : '';
  const all = [...Object.entries(fulfillmentFields.A), ...Object.entries(fulfillmentFields.B)];
  const fields = all.flatMap(([name, own]) => (name.toLowerCase() === written ? own : []));
  // It is allowed nowhere on a LOOP, although it has a message of its own there.
  if (written === 'loop') return fields.filter((field) => field !== 'index');
  return fields.length === 0 ? undefined : fields;
}
