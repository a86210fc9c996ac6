/** Guesses a missing join from field names: `todos.list_id == lists.id`. */
import type { Operation } from '../../read/config/config-model.js';
import { allFulfillments, isStatement } from '../../read/config/walk.js';
import { namesRead } from './entries.js';
import type { Join } from './written-joins.js';
import { nodesIn } from '../../read/expression/visit.js';

/** A fulfillment, and the model built from it. */
export interface Joinable {
  readonly fulfillment: string;
  readonly model: string | undefined;
}

/** The likely join of two fulfillments; undefined if the names do not suggest one. */
export function likelyJoin(
  operation: Operation,
  joins: readonly Join[],
  inner: Joinable,
  outer: Joinable,
): string | undefined {
  const key = foreignKey(operation, joins, inner, outer);
  if (key !== undefined) return key.join;
  const [fields, others] = [inner, outer].map(({ fulfillment }) => fieldsOf(operation, joins, fulfillment));
  const shared = (fields ?? []).find((field) => /._?id$/i.test(field) && (others ?? []).includes(field));
  return shared && `${inner.fulfillment}.${shared} == ${outer.fulfillment}.${shared}`;
}

/** A field of one fulfillment that is named after the other. */
export interface ForeignKey {
  readonly fulfillment: string;
  readonly field: string;
  readonly join: string;
}

/** The field of one fulfillment that is named after the other; undefined if there is no such field. */
export function foreignKey(
  operation: Operation,
  joins: readonly Join[],
  inner: Joinable,
  outer: Joinable,
): ForeignKey | undefined {
  for (const [one, other] of [
    [inner, outer],
    [outer, inner],
  ] as const) {
    const { fulfillment } = one;
    const field = keyTo(other, fieldsOf(operation, joins, fulfillment));
    if (field !== undefined)
      return { fulfillment, field, join: `${fulfillment}.${field} == ${other.fulfillment}.id` };
  }
  return undefined;
}

/** The field named after the other fulfillment: `list_id`, `listId` or `lists_id`. */
function keyTo({ fulfillment, model }: Joinable, fields: readonly string[]): string | undefined {
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const names = [fulfillment, model ?? fulfillment]
    .map(plain)
    .flatMap((name) => [name, name.replace(/ies$/, 'y'), name.replace(/es$/, ''), name.replace(/s$/, '')]);
  return fields.find((field) => names.some((name) => plain(field) === `${name}id`));
}

/** Names that expressions read from the fulfillment, and the words of its SQL, which include its columns. */
function fieldsOf(operation: Operation, joins: readonly Join[], fulfillment: string): string[] {
  const fields = new Set<string>();
  for (const { value } of operation.mappings.flatMap((mapping) => mapping.fields)) {
    if (value === undefined || !namesRead(value).includes(fulfillment)) continue;
    for (const node of nodesIn(value)) {
      const [step] = node.kind === 'value' && node.name === fulfillment ? node.path : [];
      if (step?.kind === 'name') fields.add(step.name);
    }
  }
  for (const side of joins.flatMap(({ left, right }) => [left, right]))
    if (side.fulfillment === fulfillment) fields.add(side.field);
  for (const { fulfillment: step } of allFulfillments(operation.fulfillments)) {
    if (step.name.value !== fulfillment || !('instructions' in step)) continue;
    for (const { action } of step.instructions) {
      if (!isStatement(action)) continue;
      for (const { kind, text } of action.pieces.tokens) if (kind === 'word') fields.add(text);
    }
  }
  return [...fields];
}
