/** The effects of changed request limits on clients. */
import type { RequestLimit } from '../../read/config/config-model.js';
import { printExpression } from '../../read/expression/print-expression.js';
import { limitText, timeText } from '../../analyze/operations/limits.js';
import { breaking, fine, type ShapeChange } from './compare-shapes.js';

/** Compares limits that count the same requests by the same values. A limit that serves fewer requests, or serves them later, is breaking. */
export function compareLimits(
  before: readonly RequestLimit[],
  after: readonly RequestLimit[],
  owner = 'it',
): ShapeChange[] {
  const old = new Map(before.map((limit) => [keyOf(limit), limit]));
  const now = new Map(after.map((limit) => [keyOf(limit), limit]));
  return [
    ...[...now].flatMap(([key, limit]): ShapeChange[] => {
      const was = old.get(key);
      const text = `${owner} accepts at most ${limitText(limit)} now`;
      if (was === undefined) return [breaking(text)];
      if (was.times === limit.times && was.within === limit.within) return [];
      const change = isTighter(was, limit) ? breaking : fine;
      return [change(`${text}; it was ${was.times} in ${timeText(was.within)}`)];
    }),
    ...[...old].flatMap(([key, { by, syntax, countsAll }]): ShapeChange[] => {
      if (now.has(key)) return [];
      const values = by.map((value) => printExpression(value, syntax)).join(', ');
      return [fine(`${owner} has no limit of ${countsAll ? '' : 'refused '}requests by ${values} now`)];
    }),
  ];
}

function keyOf({ by, countsAll }: RequestLimit): string {
  return JSON.stringify([countsAll, ...by.map((value) => printExpression(value, 'A'))]);
}

/** Whether fewer requests are served at the same time, or on average. */
function isTighter(before: RequestLimit, after: RequestLimit): boolean {
  return after.times < before.times || after.times * before.within < before.times * after.within;
}
