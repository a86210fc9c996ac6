/** The shape of an answer's body, from the schema of its response. */
import type { Schema } from '../config/config-model.js';
import type { Expression } from '../expression/ast.js';
import type { JsonMap } from './error-responses.js';

/** The JSON schema of what a response's schema builds; a value whose type only the data know is any. */
export function schemaOf(schema: Schema): JsonMap {
  switch (schema.kind) {
    case 'leaf':
      return typeOf(schema.value);
    case 'array':
      return { type: 'array', items: schemaOf(schema.item) };
    case 'object': {
      const names = schema.fields.map(({ key }) => key);
      if (names.length === 0) return { type: 'object' };
      const entries = schema.fields.map(({ key, value }) => [key, schemaOf(value)]);
      // Every key is always there, if only with null.
      return { type: 'object', required: names, properties: Object.fromEntries(entries) as JsonMap };
    }
  }
}

/** The JSON schema of an expression's value; of any value where only the data know it. */
export function typeOf(expression: Expression): JsonMap {
  switch (expression.kind) {
    case 'text':
      return { type: 'string' };
    case 'number':
      return { type: Number.isInteger(expression.value) ? 'integer' : 'number' };
    case 'boolean':
    case 'comparison':
    case 'logical':
    case 'not':
      return { type: 'boolean' };
    case 'null':
      return { type: 'null' };
    case 'size':
    case 'status':
      return { type: 'integer' };
    case 'list':
      return { type: 'array', items: { type: 'integer' } };
    default:
      return {};
  }
}
