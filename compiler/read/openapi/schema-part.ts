/** Finds the schemas for parts of a value (fields and elements) in all branches of its schema. */
import type { Path, Step } from '../expression/ast.js';
import type { ApiSchema } from './api-model.js';

/** The schema and all others that describe the same value: parts of `allOf` and alternatives. */
export function branchesOf(schema: ApiSchema): ApiSchema[] {
  const branches = new Set([schema]);
  for (const branch of branches)
    for (const other of [...branch.allOf, ...branch.anyOf, ...branch.oneOf]) branches.add(other);
  return [...branches];
}

/** The only part of an `allOf` in a schema that otherwise adds only bounds or null (`nullable`). */
export function onlyPartOf(schema: ApiSchema): ApiSchema | undefined {
  const { properties, patternProperties, additionalProperties, isOpen, items, prefixItems } = schema;
  const { allOf, anyOf, oneOf, not } = schema;
  const [part, ...others] = allOf;
  const isBound =
    others.length + anyOf.length + oneOf.length + properties.size === 0 &&
    [patternProperties, additionalProperties, isOpen, items, prefixItems, not].every(
      (other) => other === undefined,
    );
  return isBound ? part : undefined;
}

/** The schemas at the end of a path; empty if not described. */
export function schemasAt(schemas: readonly ApiSchema[], path: Path): ApiSchema[] {
  return path.reduce<ApiSchema[]>(
    (found, step) => found.flatMap(branchesOf).flatMap((schema) => partOf(schema, step)),
    [...schemas],
  );
}

function partOf(schema: ApiSchema, step: Step): ApiSchema[] {
  if (step.kind !== 'name') return elementsOf(schema);
  const { properties, additionalProperties: others } = schema;
  const property = properties.get(step.name) ?? (others === false ? undefined : others);
  if (property !== undefined) return [property];
  // A field name applied to an array reads from its first element.
  return elementsOf(schema)
    .flatMap(branchesOf)
    .flatMap((element) => element.properties.get(step.name) ?? []);
}

/** The schemas of array elements. */
export function elementsOf({ items, prefixItems }: ApiSchema): ApiSchema[] {
  return [...(prefixItems ?? []), ...(items === undefined ? [] : [items])];
}

/** True if an object explicitly allows other fields than those described. */
export function expectsOthers({ additionalProperties, patternProperties, isOpen }: ApiSchema): boolean {
  return isOpen === true || patternProperties !== undefined || typeof additionalProperties === 'object';
}

/** Whether null is valid; true if the type is unknown. */
export function isNullable({ types, nullable, enum: listed }: ApiSchema): boolean {
  return (
    nullable === true || types === undefined || types.includes('null') || listed?.includes(null) === true
  );
}

/** Whether the schema has neither alternatives nor parts. */
export function isOneSchema(schema: ApiSchema): boolean {
  return schema.not === undefined && branchesOf(schema).length === 1;
}
