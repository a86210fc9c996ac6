/** Creates the schema for a list of a model, for user functions that return several objects. */
import type { ApiSchema } from '../../read/openapi/api-model.js';
import { anything } from '../../read/openapi/schema-draft.js';

export function listOf(items: ApiSchema): ApiSchema {
  return { ...anything(items), types: ['array'], items };
}
