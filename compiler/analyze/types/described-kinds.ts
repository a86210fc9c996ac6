/** The kinds of JSON that schemas of descriptions allow. */
import type { ApiSchema, ApiType } from '../../read/openapi/api-model.js';
import type { Kind } from './value-type.js';

/** The kinds of JSON that a schema allows; undefined where they are unknown. */
export function kindsOf(described: ApiSchema, open = new Set<ApiSchema>()): ReadonlySet<Kind> | undefined {
  if (open.has(described)) return undefined;
  open.add(described);
  const { types, nullable, allOf, anyOf, oneOf, properties } = described;
  const isObject = types === undefined && properties.size > 0;
  const own = isObject ? new Set<Kind>(['object']) : types && new Set(types.map(kindOf));
  const alternatives = [anyOf, oneOf].filter((list) => list.length > 0).map((list) => union(list, open));
  const all = [own, ...alternatives, ...allOf.map((part) => kindsOf(part, open))].filter(
    (kinds) => kinds !== undefined,
  );
  open.delete(described);
  const [first, ...others] = all;
  if (first === undefined) return undefined;
  const kinds = new Set([...first].filter((kind) => others.every((other) => other.has(kind))));
  if (nullable === true) kinds.add('null');
  // Parts that exclude each other are a mistake of the description.
  return kinds.size === 0 ? undefined : kinds;
}

function union(schemas: readonly ApiSchema[], open: Set<ApiSchema>): ReadonlySet<Kind> | undefined {
  const all = schemas.map((schema) => kindsOf(schema, open));
  return all.includes(undefined) ? undefined : new Set(all.flatMap((kinds) => [...(kinds ?? [])]));
}

/** Integers are numbers of JSON. */
export function kindOf(type: ApiType): Kind {
  return type === 'integer' ? 'number' : type;
}
