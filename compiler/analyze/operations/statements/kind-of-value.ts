/** Determines the kind of a value from the API description and the expression, for SQL casts. */
import type { LoopFulfillment, Operation } from '../../../read/config/config-model.js';
import type { Expression } from '../../../read/expression/ast.js';
import type { ApiSchema } from '../../../read/openapi/api-model.js';
import { branchesOf } from '../../../read/openapi/schema-part.js';
import { kindOfExpression, type KindOf, type ValueKind } from '../../../read/sql/facts/value-kind.js';
import type { DeclaredValues } from '../declared-values.js';

/** The kinds of values in an operation, inside the loop. */
export function kindsIn(
  declared: DeclaredValues,
  operation: Operation,
  loop: LoopFulfillment | undefined,
): KindOf {
  return (value) =>
    isCounted(value, loop) ? 'int' : kindOfValue(value, declared.of(value, operation, loop));
}

/** Whether the value is an element of LIST, which is always an integer. */
function isCounted(value: Expression, loop: LoopFulfillment | undefined): boolean {
  if (loop?.loop?.kind !== 'list') return false;
  if (value.kind === 'element') return value.path.length === 0;
  return value.kind === 'value' && value.name === loop.name.value && value.path.length === 0;
}

/** `schemas` are the possible schemas of the value; the kind is undefined if they differ or are empty. */
export function kindOfValue(expression: Expression, schemas: readonly ApiSchema[]): ValueKind | undefined {
  const own = kindOfExpression(expression);
  if (own !== undefined) return own;
  const kinds = new Set(schemas.map(kindOfSchema));
  const [kind] = kinds;
  return kinds.size === 1 ? kind : undefined;
}

/** The kind of a schema's values. Null is compatible with any kind; several types or different branches are inconclusive. */
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
