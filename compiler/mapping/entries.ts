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
  /** The object for which an item around takes the innermost entries: it belongs to them. */
  readonly owner: Subject | undefined;
  /** The models and other objects that are being built: none of them is built again inside. */
  readonly subjects: readonly Subject[];
  readonly graph: JoinGraph;
  readonly fieldsOf: (shape: ObjectShape) => Fields;
}

/**
 * The fulfillment that the object is built from, by the fields that are mapped from one: of those of which no entry is
 * being built around, the one that joins lead from to most of the others, the first of several. An object that is no item of a list
 * and whose first field is mapped from an entry around belongs to that entry. Undefined for an object whose fields
 * are mapped from no fulfillment; as an item of a list it takes the entries of the first object in it that has some.
 */
export function entriesOf(shape: ObjectShape, around: Surroundings): Entries | undefined {
  const innermost = around.current[0];
  if (!around.isItem && innermost !== undefined && around.owner === shape.subject)
    return { of: innermost, owner: shape.subject };
  const { names, owner } = around.isItem
    ? namesInItem(shape, around, new Set(around.subjects))
    : { names: namesIn(shape, around).single, owner: shape.subject };
  const [first] = names;
  if (first === undefined) return undefined;
  if (!around.isItem && around.current.includes(first)) return { of: first, owner };
  const outside = names.filter((name) => !around.current.includes(name));
  const led = outside.map((name) => {
    const reachable = around.graph.reachable(name);
    return outside.filter((other) => reachable.has(other)).length;
  });
  return { of: outside[led.indexOf(Math.max(...led))] ?? first, owner };
}

/** What an object is built from. */
export interface Entries {
  readonly of: string;
  /** The object whose fields tell: the object itself, or one in it. */
  readonly owner: Subject;
}

interface Names {
  readonly names: readonly string[];
  readonly owner: Subject;
}

function namesInItem(shape: ObjectShape, around: Surroundings, seen: Set<Subject>): Names {
  const { single, columns } = namesIn(shape, around);
  const owner = shape.subject;
  if (single.length + columns.length > 0) return { names: single.length > 0 ? single : columns, owner };
  seen.add(owner);
  for (const schema of shape.properties.values()) {
    const inside = shapeOf(schema);
    if (inside.kind === 'list' || seen.has(inside.subject)) continue;
    const found = namesInItem(inside, around, seen);
    if (found.names.length > 0) return found;
  }
  return { names: [], owner };
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
      if (node.kind === 'value' && readsEntry(node)) names.add(node.name);
    });
  }
  return { single: [...single], columns: [...columns] };
}

/** A field that is described as a list of values and mapped from a field: it takes that of every entry. */
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
  const names = new Set<string>();
  visit(expression, (node) => {
    if (node.kind === 'value' || node.kind === 'result') names.add(node.name);
  });
  return [...names];
}
