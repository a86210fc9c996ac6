/** The JSON kinds that schemas of API descriptions allow. */
import type { ApiSchema, ApiType } from '../../read/openapi/api-model.js';
import type { Kind } from './value-type.js';

/** The JSON kinds that a schema allows; undefined if unknown. */
export function kindsOf(described: ApiSchema, known: KnownKinds = new Map()): ReadonlySet<Kind> | undefined {
  if (known.has(described)) return known.get(described);
  // For a recursive schema, only its other parts count.
  known.set(described, undefined);
  const kinds = kindsIn(described, known);
  known.set(described, kinds);
  return kinds;
}

/** Each schema is visited once, because schemas can be shared by many others. */
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
  // Parts that exclude each other are an error in the description.
  return kinds.size === 0 ? undefined : kinds;
}

function union(schemas: readonly ApiSchema[], known: KnownKinds): ReadonlySet<Kind> | undefined {
  const all = schemas.map((schema) => kindsOf(schema, known));
  return all.includes(undefined) ? undefined : new Set(all.flatMap((kinds) => [...(kinds ?? [])]));
}

/** The JSON kind of a type: integers are numbers. */
export function kindOf(type: ApiType): Kind {
  return type === 'integer' ? 'number' : type;
}
