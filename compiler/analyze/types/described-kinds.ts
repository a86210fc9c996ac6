/** The kinds of JSON that schemas of descriptions allow. */
import type { ApiSchema, ApiType } from '../../read/openapi/api-model.js';
import type { Kind } from './value-type.js';

/** The kinds of JSON that a schema allows; undefined where they are unknown. */
export function kindsOf(described: ApiSchema, known: KnownKinds = new Map()): ReadonlySet<Kind> | undefined {
  if (known.has(described)) return known.get(described);
  // Of a schema that holds itself the other parts decide.
  known.set(described, undefined);
  const kinds = kindsIn(described, known);
  known.set(described, kinds);
  return kinds;
}

/** Each schema is visited once, because parts can be shared by many. */
type KnownKinds = Map<ApiSchema, ReadonlySet<Kind> | undefined>;

function kindsIn(described: ApiSchema, known: KnownKinds): ReadonlySet<Kind> | undefined {
  const { types, nullable, allOf, anyOf, oneOf, properties } = described;
  const isObject = types === undefined && properties.size > 0;
  const own = isObject ? new Set<Kind>(['object']) : types && new Set(types.map(kindOf));
  const alternatives = [anyOf, oneOf].filter((list) => list.length > 0).map((list) => union(list, known));
  const all = [own, ...alternatives, ...allOf.map((part) => kindsOf(part, known))].filter(
    (kinds) => kinds !== undefined,
  );
  const [first, ...others] = all;
  if (first === undefined) return undefined;
  const kinds = new Set([...first].filter((kind) => others.every((other) => other.has(kind))));
  if (nullable === true) kinds.add('null');
  // Parts that exclude each other are a mistake of the description.
  return kinds.size === 0 ? undefined : kinds;
}

function union(schemas: readonly ApiSchema[], known: KnownKinds): ReadonlySet<Kind> | undefined {
  const all = schemas.map((schema) => kindsOf(schema, known));
  return all.includes(undefined) ? undefined : new Set(all.flatMap((kinds) => [...(kinds ?? [])]));
}

/** Integers are numbers of JSON. */
export function kindOf(type: ApiType): Kind {
  return type === 'integer' ? 'number' : type;
}
