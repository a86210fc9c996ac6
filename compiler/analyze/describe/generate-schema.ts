/** Derives the JSON schema of a response body from the configuration. */
import type { Schema } from '../../read/config/config-model.js';
import type { Expression } from '../../read/expression/ast.js';
import { ownType, type OwnType } from '../../read/expression/node-kinds.js';
import type { ValueType } from '../types/value-type.js';
import type { JsonMap } from '../../read/json.js';
import { schemaOfType } from './schema-of-type.js';

type Leaf = Extract<Schema, { kind: 'leaf' }>;

/** The JSON schema of the value built by a response's schema. `typeOfLeaf` returns the known type of a leaf. */
export function schemaOf(schema: Schema, typeOfLeaf: (leaf: Leaf) => ValueType | undefined): JsonMap {
  switch (schema.kind) {
    case 'leaf':
      return typeOf(schema.value, typeOfLeaf(schema));
    case 'array':
      return { type: 'array', items: schemaOf(schema.item, typeOfLeaf) };
    case 'object': {
      const names = schema.fields.map(({ key }) => key);
      if (names.length === 0) return { type: 'object' };
      const entries = schema.fields.map(({ key, value }) => [key, schemaOf(value, typeOfLeaf)]);
      // Every key is always present, possibly with the value null.
      return { type: 'object', required: names, properties: Object.fromEntries(entries) as JsonMap };
    }
  }
}

/** The JSON schema of an expression's value, using its known type if available. */
export function typeOf(expression: Expression, known: ValueType | undefined): JsonMap {
  const own = ownType(expression);
  if (known === undefined || (own !== 'unknown' && own !== 'rows')) return schemas[own]();
  return schemaOfType(known);
}

/** Functions that create new objects, because YAML would print a shared object as an alias. */
const schemas: Readonly<Record<OwnType, () => JsonMap>> = {
  string: () => ({ type: 'string' }),
  timestamp: () => ({ type: 'string', format: 'date-time' }),
  uuid: () => ({ type: 'string', format: 'uuid' }),
  integer: () => ({ type: 'integer' }),
  number: () => ({ type: 'number' }),
  boolean: () => ({ type: 'boolean' }),
  null: () => ({ type: 'null' }),
  // Null if nothing was sent.
  status: () => ({ type: ['integer', 'null'] }),
  integers: () => ({ type: 'array', items: { type: 'integer' } }),
  rows: () => ({}),
  unknown: () => ({}),
};
