/** The shape of an answer's body, from the schema of its response. */
import type { Schema } from '../config/config-model.js';
import type { Expression } from '../expression/ast.js';
import { ownType, type OwnType } from '../expression/own-type.js';
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
  return schemas[ownType(expression)]();
}

/** A new one each time: YAML would print one that is there twice as an alias. */
const schemas: Readonly<Record<OwnType, () => JsonMap>> = {
  string: () => ({ type: 'string' }),
  integer: () => ({ type: 'integer' }),
  number: () => ({ type: 'number' }),
  boolean: () => ({ type: 'boolean' }),
  null: () => ({ type: 'null' }),
  status: () => ({ type: 'integer' }),
  integers: () => ({ type: 'array', items: { type: 'integer' } }),
  rows: () => ({}),
  unknown: () => ({}),
};
