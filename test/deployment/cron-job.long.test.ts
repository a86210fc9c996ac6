/** Schedules converted to CronJobs run at exactly the same times as in the service, if a conversion exists. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cronJobSchedule } from '../../compiler/generate/plan/kubernetes/cron-job.js';
import { readCron } from '../../runtime/schedule/cron.js';
import { runs } from '../helpers/runs.js';

/** The bits of a field as read by robfig/cron, which Kubernetes uses; throws for invalid fields. */
function read(
  text: string,
  min: number,
  max: number,
  names: readonly string[],
): { values: Set<number>; star: boolean } {
  const values = new Set<number>();
  let star = false;
  const number = (word: string): number => {
    const value = names.includes(word.toLowerCase()) ? names.indexOf(word.toLowerCase()) + min : Number(word);
    if (!Number.isInteger(value)) throw new Error(word);
    return value;
  };
  for (const part of text.split(',')) {
    const [range = '', step, ...more] = part.split('/');
    const [from = '', to, ...rest] = range.split('-');
    if (more.length > 0 || rest.length > 0) throw new Error(part);
    const isStar = from === '*';
    const first = isStar ? min : number(from);
    let last = isStar ? max : to === undefined ? first : number(to);
    if (step !== undefined && to === undefined) last = max;
    const width = step === undefined ? 1 : number(step);
    if (isStar && width === 1) star = true;
    if (first < min || last > max || first > last || width < 1) throw new Error(part);
    for (let value = first; value <= last; value += width) values.add(value);
  }
  return { values, star };
}

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const days = 'sun mon tue wed thu fri sat'.split(' ');

function kubernetesTicks(schedule: string, at: Date): boolean {
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = schedule.split(' ');
  const dom = read(dayOfMonth, 1, 31, []);
  const dow = read(dayOfWeek, 0, 6, days);
  const [isDom, isDow] = [dom.values.has(at.getUTCDate()), dow.values.has(at.getUTCDay())];
  return (
    read(minute, 0, 59, []).values.has(at.getUTCMinutes()) &&
    read(hour, 0, 23, []).values.has(at.getUTCHours()) &&
    read(month, 1, 12, months).values.has(at.getUTCMonth() + 1) &&
    (dom.star || dow.star ? isDom && isDow : isDom || isDow)
  );
}

test.each([
  ['0 * * * * *', '* * * * *'],
  ['00 0 0 * * *', '0 0 * * *'],
  ['0 */5 8-18 * * mon-fri', '*/5 8-18 * * MON-FRI'],
  ['0 0 3 1,15 * *', '0 3 1,15 * *'],
  ['0 0 3 * * 7', '0 3 * * 0'],
  ['0 0 3 * * 5-7', '0 3 * * 0,5,6'],
  ['0 0 3 5 * 1-7', '0 3 5 * *'],
  ['0 0 3 * * fri-sun', '0 3 * * 0,5,6'],
  ['0 0 3 * * 0-sun', '0 3 * * *'],
  ['0 0 3 * * sun', '0 3 * * SUN'],
  ['0 5/10 * * JAN *', '5/10 * * JAN *'],
])('%s is %s', (cron, expected) => {
  expect(cronJobSchedule(cron)).toBe(expected);
});

test.each([
  ['every second', '* * * * * *'],
  ['twice a minute', '0,30 * * * * *'],
  ['a second that is not 0', '5 * * * * *'],
  ['both days', '0 0 0 13 * 5'],
  ['both days, one as a step', '0 0 0 */2 * 1-5'],
  ['the last day', '0 0 0 L * *'],
  ['the second Friday', '0 0 0 * * 5#2'],
  ['what is now', '0 ? * * * *'],
  ['a step of nothing', '0 /10 * * * *'],
])('%s cannot be one: %s', (_what, cron) => {
  expect(cronJobSchedule(cron)).toBeUndefined();
});

describe('any schedule that can be a CronJob', () => {
  const field = (min: number, max: number, names: readonly string[] = []) => {
    const value = fc.oneof(
      fc.integer({ min: min, max: max }).map(String),
      ...(names.length === 0 ? [] : [fc.constantFrom(...names)]),
    );
    const range = fc.oneof(
      value,
      fc.constant('*'),
      fc.tuple(value, value).map(([from, to]) => `${from}-${to}`),
    );
    const step = fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined });
    const part = fc.tuple(range, step).map(([text, by]) => (by === undefined ? text : `${text}/${by}`));
    return fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(','));
  };
  const cron = fc
    .tuple(
      field(0, 59),
      field(0, 23),
      fc.oneof(fc.constant('*'), field(1, 31)),
      field(1, 12, months),
      fc.oneof(fc.constant('*'), field(0, 7, days)),
    )
    .map((fields) => `0 ${fields.join(' ')}`);

  test('ticks at the same times', () => {
    let compared = 0;
    fc.assert(
      fc.property(cron, fc.integer({ min: 0, max: 3 * 365 * 24 * 60 }), (text, minutes) => {
        const schedule = cronJobSchedule(text);
        if (schedule === undefined) return;
        let rule: ReturnType<typeof readCron>;
        try {
          rule = readCron(text, 'UTC');
        } catch {
          return; // Refused by the compiler.
        }
        let time = new Date(Date.UTC(2025, 0, 1) + minutes * 60_000);
        for (let tick = 0; tick < 3; tick += 1) {
          const next = rule.next(time);
          if (next === undefined) return;
          expect(kubernetesTicks(schedule, next), `${text} at ${next.toISOString()}`).toBe(true);
          // The schedule must not run in between.
          const gap = Math.min((next.getTime() - time.getTime()) / 60_000 - 1, 300);
          for (let back = 1; back <= gap; back += 1) {
            const between = new Date(next.getTime() - back * 60_000);
            expect(kubernetesTicks(schedule, between), `${text} at ${between.toISOString()}`).toBe(false);
          }
          time = next;
          compared += 1;
        }
      }),
      { numRuns: runs(500, 4000) },
    );
    expect(compared).toBeGreaterThan(runs(50, 500));
  });
});
