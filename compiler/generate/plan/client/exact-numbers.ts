/** Finds the described numbers whose values the service sends as strings if a double cannot hold them. */
import type { ApiSchema } from '../../../read/openapi/api-model.js';
import { branchesOf, elementsOf } from '../../../read/openapi/schema-part.js';

/**
 * Adds to `found` the schemas of `described` that are numbers only, where `generated`, the schema of the values that the service builds, has
 * numbers and strings.
 */
export function findExactNumbers(
  described: ApiSchema,
  generated: ApiSchema | undefined,
  found: Set<ApiSchema>,
): void {
  if (generated === undefined) return;
  for (const other of branchesOf(generated))
    for (const schema of branchesOf(described)) {
      if (isNumber(schema) && isNumber(other) && !isString(schema) && isString(other)) found.add(schema);
      for (const [name, property] of other.properties) {
        const own = schema.properties.get(name);
        if (own !== undefined) findExactNumbers(own, property, found);
      }
      for (const item of elementsOf(other))
        for (const own of elementsOf(schema)) findExactNumbers(own, item, found);
    }
}

function isNumber({ types = [] }: ApiSchema): boolean {
  return types.includes('integer') || types.includes('number');
}

function isString({ types = [] }: ApiSchema): boolean {
  return types.includes('string');
}
