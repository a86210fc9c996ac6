/** Which fulfillments the fields of a model are mapped from: its objects are built from their entries. */
import type { Expression, Value } from '../../read/expression/ast.js';
import type { ApiSchema } from '../../read/openapi/api-model.js';
import type { MappedFulfillments } from './root-fulfillment.js';
import { allowsNull, shapeOf, type ObjectShape, type Subject } from './shape.js';
import { nodesIn } from '../../read/expression/visit.js';

/** The mapped fields of an object, in the order of the mapping. */
export type Fields = ReadonlyMap<string, Expression | undefined>;

type FieldsOf = (shape: ObjectShape) => Fields;

/** The source of an object. */
export interface Entries extends MappedFulfillments {
  /** The object whose fields determine it: the object itself, or one in it. */
  readonly owner: Subject;
}

/** Fulfillments that the fields of an object are mapped from; none for an object that maps lists of values alone. */
export function entriesOfObject(shape: ObjectShape, fieldsOf: FieldsOf): Entries {
  const { names, notNull } = namesIn(shape, fieldsOf);
  return { names, notNull, owner: shape.subject };
}

/**
 * The fulfillments from which the fields of a list item are mapped; without any, those of its lists of values, or of the first single
 * object in it that has some. Subjects in `seen` are skipped: an object is never built inside itself.
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

/** The fulfillments whose fields are mapped, in the order of the mapping; those that only provide lists of values are separate. */
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

/** A field that is described as a list of values and mapped from a field: it has the value of every row. */
export function columnOf(expression: Expression, schema: ApiSchema): Value | undefined {
  const shape = shapeOf(schema);
  const isList = shape.kind === 'list' && !shape.isNested;
  return isList && expression.kind === 'value' && readsEntry(expression) ? expression : undefined;
}

/** `news.title` reads a field of an entry, `news[0].title` chooses one of the list itself. */
function readsEntry({ path }: Value): boolean {
  return path[0]?.kind === 'name';
}

/** The fulfillments that the expression reads, each once. */
export function namesRead(expression: Expression): string[] {
  const names = nodesIn(expression).flatMap((node) =>
    node.kind === 'value' || node.kind === 'result' ? [node.name] : [],
  );
  return [...new Set(names)];
}
