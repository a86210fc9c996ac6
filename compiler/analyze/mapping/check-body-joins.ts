/** Reports objects in a body that no join connects with the surrounding objects. */
import type { Operation } from '../../read/config/config-model.js';
import { isBuiltFrom, type BodyContext, type BodyScope, type Models } from './body-context.js';
import type { RowSource, SharedKey } from './body-parts.js';
import { foreignKey, likelyJoin } from './likely-join.js';
import type { ObjectRows } from './row-finder.js';

/**
 * Without a join, every one of several surrounding objects gets all rows of a fulfillment, or the same first row. The first row is often
 * intended, but not if a shared key connects both fulfillments.
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

/** Reports a connection over a shared key, such as comments by the author of a news, if the comments have a field named after the news. */
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

/** A join that skips the fulfillment with the shared key: `comments.author_id == news.author_id`. */
function directJoin({ enter, leave }: SharedKey): string {
  const [to] = leave.keys;
  const from = enter.keys.find((key) => key.to === to?.from) ?? enter.keys[0];
  return `${leave.to}.${to?.to ?? 'id'} == ${enter.from}.${from?.from ?? 'id'}`;
}

/**
 * Reports joins that start from an outer object although the inner object is not joined, which may be unintended: a comment's author is
 * read as the author of the surrounding news.
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

/** Whether the fulfillment has joins. */
function hasJoin(operation: Operation, name: string): boolean {
  return operation.fulfillments.some(
    (one) => one.name.value === name && 'join' in one && one.join.length > 0,
  );
}
