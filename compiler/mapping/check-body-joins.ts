/** Reports objects of a body to which no join leads from the objects around them. */
import type { Operation } from '../config/config-model.js';
import { isBuiltFrom, type BodyContext, type BodyScope, type Models } from './body-context.js';
import type { RowSource } from './body-parts.js';
import { likelyJoin } from './likely-join.js';

/** Where there may be several objects around, all of them get all entries of a fulfillment to which no join leads. */
export function checkJoin(
  { fulfillment, row, steps }: RowSource,
  { levels, span }: BodyContext,
  [model, owner]: Models,
  { operation, joins, report }: BodyScope,
): void {
  const [inner] = levels;
  if (inner === undefined || row !== undefined || steps.length > 0) return;
  if (!levels.some(({ isRepeated }) => isRepeated)) return;
  const outer = { fulfillment: inner.first.row.fulfillment, model: owner };
  const join = likelyJoin(operation, joins, { fulfillment, model }, outer);
  report.add('join-missing', span, {
    ...{ model, fulfillment, outer: owner, inner: outer.fulfillment, join },
    hasJoin: hasJoin(operation, fulfillment),
  });
}

/** An author of a comment who is that of the news around: where no join leads from the innermost entry, that may not be meant. */
export function checkReach(
  { fulfillment, start, steps }: RowSource,
  { levels, span }: BodyContext,
  [model, owner]: Models,
  { operation, report }: BodyScope,
): void {
  const [inner] = levels;
  const [first] = steps;
  const last = steps.at(-1);
  const [outer] = start;
  if (inner === undefined || first === undefined || last === undefined || outer === undefined) return;
  if (isBuiltFrom(inner, outer.fulfillment)) return;
  report.add('entry-of-outer', span, {
    ...{
      model,
      owner,
      fulfillment,
      inner: inner.first.row.fulfillment,
      outer: first.from,
      key: last.keys[0]?.to,
    },
    likely: steps.length === 1 ? first.keys[0]?.from : undefined,
    hasJoin: hasJoin(operation, inner.first.row.fulfillment),
  });
}

/** Whether joins are written in the fulfillment. */
function hasJoin(operation: Operation, name: string): boolean {
  return operation.fulfillments.some(
    (one) => one.name.value === name && 'join' in one && one.join.length > 0,
  );
}
