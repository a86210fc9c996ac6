/** Schemas of the parts of a value: its fields and elements, in any branch of the schema of the value. */
import type { Path, Step } from '../expression/ast.js';
import type { ApiSchema } from './api-model.js';

/** The schema and all others that describe the same value: parts of `allOf` and alternatives. */
export function branchesOf(schema: ApiSchema): ApiSchema[] {
  const branches = new Set([schema]);
  for (const branch of branches)
    for (const other of [...branch.allOf, ...branch.anyOf, ...branch.oneOf]) branches.add(other);
  return [...branches];
}

/** The schema that one refers to and adds nothing to but bounds: `allOf` with one part. Null may be added (`nullable`). */
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

/** The schemas of the target of a path; empty if it is not described. */
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
  // A name reads from the first element of an array.
  return elementsOf(schema)
    .flatMap(branchesOf)
    .flatMap((element) => element.properties.get(step.name) ?? []);
}

/** The schemas of the elements of an array. */
export function elementsOf({ items, prefixItems }: ApiSchema): ApiSchema[] {
  return [...(prefixItems ?? []), ...(items === undefined ? [] : [items])];
}

/** True if an object intentionally allows fields in addition to those that are described. */
export function expectsOthers({ additionalProperties, patternProperties, isOpen }: ApiSchema): boolean {
  return isOpen === true || patternProperties !== undefined || typeof additionalProperties === 'object';
}

/** Whether null is a value of it; also where nothing of its type is known. */
export function isNullable({ types, nullable, enum: listed }: ApiSchema): boolean {
  return (
    nullable === true || types === undefined || types.includes('null') || listed?.includes(null) === true
  );
}

/** Whether it has neither alternatives nor parts. */
export function isOneSchema(schema: ApiSchema): boolean {
  return schema.not === undefined && branchesOf(schema).length === 1;
}
