/** The schema of a list of a model, for own code that returns several. */
import type { ApiSchema } from '../../read/openapi/api-model.js';
import { anything } from '../../read/openapi/schema-draft.js';

export function listOf(items: ApiSchema): ApiSchema {
  return { ...anything(items), types: ['array'], items };
}
