/** Finds the fulfillments from which the fields of a model are mapped, and from whose rows its objects are built. */
import type { Expression, Value } from '../../read/expression/ast.js';
import type { ApiSchema } from '../../read/openapi/api-model.js';
import type { MappedFulfillments } from './root-fulfillment.js';
import { allowsNull, shapeOf, type ObjectShape, type Subject } from './shape.js';
import { nodesIn } from '../../read/expression/visit.js';

/** The mapped fields of an object, in mapping order. */
export type Fields = ReadonlyMap<string, Expression | undefined>;

type FieldsOf = (shape: ObjectShape) => Fields;

/** The sources of an object. */
export interface Entries extends MappedFulfillments {
  /** The object whose fields determine the sources: the object itself, or a nested one. */
  readonly owner: Subject;
}

/** The fulfillments from which an object's fields are mapped; empty if only lists of values are mapped. */
export function entriesOfObject(shape: ObjectShape, fieldsOf: FieldsOf): Entries {
  const { names, notNull } = namesIn(shape, fieldsOf);
  return { names, notNull, owner: shape.subject };
}

/**
 * The fulfillments from which the fields of a list item are mapped. If there are none: those of its lists of values, or those of the first
 * nested object that has any. Skips subjects in `seen`, because an object is never built inside itself.
 */
export function entriesOfItem(shape: ObjectShape, fieldsOf: FieldsOf, seen: Set<Subject>): Entries {
  const { names, notNull, columns } = namesIn(shape, fieldsOf);
  const owner = shape.subject;
  if (names.length > 0) return { names, notNull, owner };
  if (columns.length > 0) return { names: columns, notNull, areColumns: true, owner };
  seen.add(owner);
  for (const schema of shape.properties.values()) {
    const inside = shapeOf(schema);
    if (inside.kind === 'list' || seen.has(inside.subject)) continue;
    const found = entriesOfItem(inside, fieldsOf, seen);
    if (found.names.length > 0) return found;
  }
  return { names: [], notNull: [], owner };
}

/** The fulfillments of mapped fields, in mapping order. Fulfillments that only provide lists of values are returned separately. */
function namesIn(
  shape: ObjectShape,
  fieldsOf: FieldsOf,
): MappedFulfillments & { readonly columns: readonly string[] } {
  const [names, notNull, columns] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const [field, expression] of fieldsOf(shape)) {
    const schema = shape.properties.get(field);
    if (expression === undefined || schema === undefined) continue;
    const found = columnOf(expression, schema) === undefined ? names : columns;
    for (const node of nodesIn(expression))
      if (node.kind === 'value' && readsEntry(node)) found.add(node.name);
    const isField = found === names && expression.kind === 'value' && readsEntry(expression);
    if (isField && !allowsNull(schema)) notNull.add(expression.name);
  }
  return { names: [...names], notNull: [...notNull], columns: [...columns] };
}

/** The mapped value of a field described as a list of values: the field contains the value of every row. */
export function columnOf(expression: Expression, schema: ApiSchema): Value | undefined {
  const shape = shapeOf(schema);
  const isList = shape.kind === 'list' && !shape.isNested;
  return isList && expression.kind === 'value' && readsEntry(expression) ? expression : undefined;
}

/** Whether the path reads a field of a row (`news.title`), not of a specific row in the list (`news[0].title`). */
function readsEntry({ path }: Value): boolean {
  return path[0]?.kind === 'name';
}

/** The fulfillments that the expression reads, without duplicates. */
export function namesRead(expression: Expression): string[] {
  const names = nodesIn(expression).flatMap((node) =>
    node.kind === 'value' || node.kind === 'result' ? [node.name] : [],
  );
  return [...new Set(names)];
}
