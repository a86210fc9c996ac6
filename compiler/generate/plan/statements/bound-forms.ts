/** How values are bound on MySQL and MariaDB, whose protocol does not report parameter types. */
import type { Expression } from '../../../read/expression/ast.js';
import { isFile } from '../../../read/expression/visit.js';
import { ownType } from '../../../read/expression/node-kinds.js';
import type { ApiSchema, ApiType } from '../../../read/openapi/api-model.js';
import { branchesOf, elementsOf } from '../../../read/openapi/schema-part.js';
import type { LoweredSql } from '../../../read/sql/rewrite/lower.js';
import { isJsonValue, type ValueUse } from '../../../read/sql/facts/mysql-use.js';
import type { ValueSelect } from '../../../read/sql/facts/mysql-columns.js';
import type { KindOf, ValueKind } from '../../../read/sql/facts/value-kind.js';

/** The runtime function that converts a value; `timestamps` is for elements of an IN list. */
export type BoundForm = 'timestamp' | 'timestamps' | 'numeric' | 'typed' | 'jsonText';

/**
 * Bindings, by index, that must be converted. `schemasOf` returns the declared schemas of a value, `kindOf` its kind if known from other
 * sources.
 */
export function boundForms(
  statement: LoweredSql,
  schemasOf: (expression: Expression) => readonly ApiSchema[],
  kindOf: KindOf,
): ReadonlyMap<number, BoundForm> {
  if (statement.dialect !== 'mysql') return new Map();
  const found = new Map<number, BoundForm>();
  const isList = listsIn(statement);
  for (const [index, binding] of statement.bindings.entries()) {
    if (isFile(binding)) continue;
    const schemas = schemasOf(binding).flatMap(branchesOf);
    const use = statement.uses.get(index);
    const timestamp =
      use?.kind === 'json'
        ? undefined
        : ownType(binding) === 'timestamp'
          ? 'timestamp'
          : timestampForm(schemas, isList[index] === true);
    const form = timestamp ?? formOf(statement, use, binding, { schemas, kind: kindOf(binding) });
    if (form !== undefined) found.set(index, form);
  }
  return found;
}

/** The columns that values are compared with. Integers and booleans are omitted, because every column accepts them unchanged. */
export function comparedColumns(
  { types, bindings }: LoweredSql,
  schemasOf: (expression: Expression) => readonly ApiSchema[],
  kindOf: KindOf,
): ValueSelect | undefined {
  const compared = types?.compared;
  if (compared === undefined) return undefined;
  const columns = compared.columns.map((column, index) => {
    const binding = bindings[index];
    if (binding === undefined) return column;
    return isWhole({ kind: kindOf(binding), schemas: schemasOf(binding).flatMap(branchesOf) })
      ? undefined
      : column;
  });
  return { ...compared, columns };
}

/** For each binding, whether it provides the elements of an IN list. */
function listsIn({ parts }: LoweredSql): boolean[] {
  return parts.flatMap((part): boolean[] => {
    if (part.kind === 'text' || part.kind === 'same') return [];
    if (part.kind === 'value') return [false];
    return new Array<boolean>(part.kind === 'in-list' ? part.count : 1).fill(true);
  });
}

function formOf(
  { types }: LoweredSql,
  use: ValueUse | undefined,
  binding: Expression,
  known: Known,
): BoundForm | undefined {
  if (use === undefined) return undefined;
  if (use.kind === 'operand') return 'numeric';
  if (use.kind === 'json') return isJsonValue(use, binding) ? 'jsonText' : undefined;
  // If the columns are known, the server reports the types that they accept.
  if (use.kind === 'assigned' && types?.written !== undefined) return undefined;
  if (isNumeric(known)) return 'numeric';
  return use.kind !== 'argument' && mayBeTyped(binding, known.schemas) ? 'typed' : undefined;
}

/** Known facts about a value. */
interface Known {
  readonly kind: ValueKind | undefined;
  readonly schemas: readonly ApiSchema[];
}

const numericKinds: ReadonlySet<ValueKind> = new Set(['int', 'bigint', 'numeric', 'boolean']);

/** Whether the value is always a number or a boolean, for any request. */
function isNumeric({ kind, schemas }: Known): boolean {
  if (kind !== undefined) return numericKinds.has(kind);
  const types = declaredTypes(schemas);
  return types.length > 0 && types.every((type) => numericTypes.has(type));
}

function isWhole({ kind, schemas }: Known): boolean {
  if (kind !== undefined) return kind !== 'numeric' && numericKinds.has(kind);
  const types = declaredTypes(schemas);
  return types.length > 0 && types.every((type) => type !== 'number' && numericTypes.has(type));
}

function declaredTypes(schemas: readonly ApiSchema[]): ApiType[] {
  return schemas.flatMap((schema) => schema.types ?? []).filter((type) => type !== 'null');
}

const numericTypes: ReadonlySet<ApiType> = new Set(['integer', 'number', 'boolean']);

/** Whether the value is a number or a boolean in some requests, and of another type in others. */
function mayBeTyped({ kind }: Expression, schemas: readonly ApiSchema[]): boolean {
  const types = declaredTypes(schemas);
  return (
    kind !== 'text' && kind !== 'null' && (types.length === 0 || types.some((type) => numericTypes.has(type)))
  );
}

function timestampForm(schemas: readonly ApiSchema[], isList: boolean): BoundForm | undefined {
  const elements = isList ? schemas.flatMap(elementsOf).flatMap(branchesOf) : [];
  const isMoment = [...schemas, ...elements].some(({ format }) => format === 'date-time');
  if (!isMoment) return undefined;
  return isList ? 'timestamps' : 'timestamp';
}
