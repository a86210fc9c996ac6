/** Reports objects of a body to which no join leads from the objects around them. */
import type { Operation } from '../../read/config/config-model.js';
import { isBuiltFrom, type BodyContext, type BodyScope, type Models } from './body-context.js';
import type { RowSource, SharedKey } from './body-parts.js';
import { foreignKey, likelyJoin } from './likely-join.js';
import type { ObjectRows } from './row-finder.js';

/**
 * With several objects around, each of them receives all entries, or the first entry, of a fulfillment without a join. The first entry is
 * often meant, but not if they are connected by a shared key.
 */
export function checkJoin(
  { fulfillment, row, steps }: RowSource,
  { levels, span }: BodyContext,
  [model, owner]: Models,
  { operation, joins, rows, report }: BodyScope,
  isList: boolean,
): void {
  const [inner] = levels;
  if (inner === undefined || row !== undefined || steps.length > 0) return;
  if (!levels.some(({ isRepeated }) => isRepeated)) return;
  const sharedKey = rows.sharedKey(fulfillment, levels);
  if (!isList && sharedKey === undefined) return;
  const outer = { fulfillment: inner.first.row.fulfillment, model: owner };
  const likely = likelyJoin(operation, joins, { fulfillment, model }, outer);
  const join = likely ?? (sharedKey && directJoin(sharedKey));
  const at = likely === undefined ? (sharedKey?.leave.to ?? fulfillment) : fulfillment;
  report.add('join-missing', span, {
    ...{ model, fulfillment, outer: owner, inner: outer.fulfillment, join, at, isList },
    hasJoin: hasJoin(operation, at),
  });
}

/** Comments of the author of a news, where the comments have a field that is named after the news. */
export function checkSharedKeys(
  { first, others }: ObjectRows,
  { levels, span }: BodyContext,
  [model, owner]: Models,
  { operation, joins, rows, report }: BodyScope,
): void {
  const [inner] = levels;
  if (inner === undefined || first.of.row !== undefined || first.of.steps.length === 0) return;
  const outer = { fulfillment: inner.first.row.fulfillment, model: owner };
  for (const { row } of [first, ...others]) {
    const { fulfillment } = row;
    const sharedKey = rows.sharedKey(fulfillment, levels);
    const key = sharedKey && foreignKey(operation, joins, { fulfillment, model }, outer);
    const isJoined = joins.some(({ left, right }) =>
      [left, right].some((side) => side.fulfillment === key?.fulfillment && side.field === key.field),
    );
    if (sharedKey === undefined || key === undefined || isJoined) continue;
    const { fulfillment: at, field, join } = key;
    const shared = sharedKey.leave.keys.map(({ from }) => `${sharedKey.leave.from}.${from}`);
    report.add('shared-key-join', span, {
      ...{ fulfillment, outer: outer.fulfillment, at, field, join, shared },
      direct: directJoin(sharedKey),
      hasJoin: hasJoin(operation, at),
    });
  }
}

/** `comments.author_id == news.author_id`, without the authors between the two. */
function directJoin({ enter, leave }: SharedKey): string {
  const [to] = leave.keys;
  const from = enter.keys.find((key) => key.to === to?.from) ?? enter.keys[0];
  return `${leave.to}.${to?.to ?? 'id'} == ${enter.from}.${from?.from ?? 'id'}`;
}

/**
 * An author of a comment who is the author of the surrounding news: if no join connects it with the innermost entry, that may be
 * unintended.
 */
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
