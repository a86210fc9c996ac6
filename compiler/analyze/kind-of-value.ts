/** What the API description and the expression itself say that a value is, for the casts of SQL. */
import type { Expression } from '../expression/ast.js';
import type { ApiSchema } from '../openapi/api-model.js';
import { branchesOf } from '../openapi/schema-part.js';
import { kindOfExpression, type ValueKind } from '../sql/value-kind.js';

/** `schemas`: those that the value may have; undefined where they do not agree or say nothing. */
export function kindOfValue(expression: Expression, schemas: readonly ApiSchema[]): ValueKind | undefined {
  const own = kindOfExpression(expression);
  if (own !== undefined) return own;
  const kinds = new Set(schemas.map(kindOfSchema));
  const [kind] = kinds;
  return kinds.size === 1 ? kind : undefined;
}

/** Null may stand for any value; two types, or branches that differ, say nothing. */
function kindOfSchema(schema: ApiSchema): ValueKind | undefined {
  const described = branchesOf(schema);
  const types = new Set(
    described.flatMap(({ types: named }) => named ?? []).filter((type) => type !== 'null'),
  );
  const formats = new Set(described.flatMap(({ format }) => format ?? []));
  const [type] = types;
  if (type === undefined || types.size > 1) return undefined;
  switch (type) {
    case 'integer':
      return formats.has('int32') ? 'int' : 'bigint';
    case 'number':
      return 'numeric';
    case 'boolean':
      return 'boolean';
    case 'string':
      if (formats.has('date')) return 'date';
      return formats.has('date-time') ? 'timestamptz' : 'text';
    default:
      return undefined;
  }
}
