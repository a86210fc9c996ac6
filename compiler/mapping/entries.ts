/** Which fulfillment gives the entries of a model: decided from what its fields are mapped from. */
import type { Expression, Value } from '../expression/ast.js';
import { visit } from '../expression/visit.js';
import type { ApiSchema } from '../openapi/model.js';
import type { JoinGraph } from './join.js';
import { shapeOf, type ObjectShape, type Subject } from './shape.js';

/** The mapped fields of an object, in the order of the mapping. */
export type Fields = ReadonlyMap<string, Expression | undefined>;

interface Surroundings {
  /** The fulfillments of which an entry is being built, the innermost first. */
  readonly current: readonly string[];
  /** True when the object is an item of a list. */
  readonly isItem: boolean;
  readonly graph: JoinGraph;
  readonly fieldsOf: (shape: ObjectShape) => Fields;
}

/**
 * The fulfillment that the object is built from, by the fields that are mapped from one: of those of which no entry is
 * being built around, the one that joins lead from to all the others, else the first. An object that is no item of a list
 * and whose first field is mapped from an entry around belongs to that entry. Undefined for an object whose fields
 * are mapped from no fulfillment; as an item of a list it takes the entries of the first object in it that has some.
 */
export function entriesOf(shape: ObjectShape, around: Surroundings): string | undefined {
  const names = around.isItem ? namesInItem(shape, around, new Set()) : namesIn(shape, around).single;
  const [first] = names;
  if (first === undefined) return undefined;
  if (!around.isItem && around.current.includes(first)) return first;
  const outside = names.filter((name) => !around.current.includes(name));
  const leads = (from: string): boolean => {
    const reachable = around.graph.reachable(from);
    return outside.every((name) => reachable.has(name));
  };
  return outside.find(leads) ?? outside[0] ?? first;
}

function namesInItem(shape: ObjectShape, around: Surroundings, seen: Set<Subject>): readonly string[] {
  const { single, columns } = namesIn(shape, around);
  if (single.length + columns.length > 0) return single.length > 0 ? single : columns;
  seen.add(shape.subject);
  for (const schema of shape.properties.values()) {
    const inside = shapeOf(schema);
    if (inside.kind === 'list' || seen.has(inside.subject)) continue;
    const names = namesInItem(inside, around, seen);
    if (names.length > 0) return names;
  }
  return [];
}

/** The fulfillments whose fields are mapped, in the order of the mapping; apart those that only give lists of values. */
function namesIn(
  shape: ObjectShape,
  { fieldsOf }: Surroundings,
): { single: readonly string[]; columns: readonly string[] } {
  const [single, columns] = [new Set<string>(), new Set<string>()];
  for (const [field, expression] of fieldsOf(shape)) {
    const schema = shape.properties.get(field);
    if (expression === undefined || schema === undefined) continue;
    const names = columnOf(expression, schema) === undefined ? single : columns;
    visit(expression, (node) => {
      if (node.kind === 'value') names.add(node.name);
    });
  }
  return { single: [...single], columns: [...columns] };
}

/** A field that is described as a list of values and mapped from a field: it takes that of every entry. */
export function columnOf(expression: Expression, schema: ApiSchema): Value | undefined {
  const shape = shapeOf(schema);
  return expression.kind === 'value' && shape.kind === 'list' && !shape.isNested ? expression : undefined;
}

/** The fulfillments that the expression reads, each once. */
export function namesRead(expression: Expression): string[] {
  const names = new Set<string>();
  visit(expression, (node) => {
    if (node.kind === 'value' || node.kind === 'result') names.add(node.name);
  });
  return [...names];
}
