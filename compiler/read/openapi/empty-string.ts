/** Finds schemas for which an empty string is certainly invalid. */
import type { ApiSchema } from './api-model.js';
import { checkedFormat, patternMatches } from './schema-keywords.js';

/** False if uncertain. */
export function refusesEmptyString(schema: ApiSchema, around: ReadonlySet<ApiSchema> = new Set()): boolean {
  if (around.has(schema)) return false;
  const inside = new Set([...around, schema]);
  const refuses = (part: ApiSchema): boolean => refusesEmptyString(part, inside);
  const { types, enum: listed, format, bounds, allOf, anyOf, oneOf } = schema;
  if (types?.includes('string') === false || listed?.includes('') === false) return true;
  if (allOf.some(refuses)) return true;
  if ([anyOf, oneOf].some((parts) => parts.length > 0 && parts.every(refuses))) return true;
  const [shortest, pattern] = [bounds.get('minLength'), bounds.get('pattern')];
  return (
    checkedFormat(format) !== undefined ||
    Number(shortest ?? 0) > 0 ||
    (typeof pattern === 'string' && !patternMatches(pattern, ''))
  );
}
