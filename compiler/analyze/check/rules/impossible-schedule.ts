/** Schedules that never tick (decisions 10.1). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { ScalarText, Span } from '../../../read/source.js';
import { rule } from '../rule.js';
import { scheduleOf } from '../schedule-of.js';

export const impossibleSchedule = rule(
  {
    'impossible-schedule': error(
      (p: {
        written: string;
        /** Undefined where no single day of a single month is written. */
        day: string | undefined;
        last: number;
      }) => ({
        message: `The schedule '${p.written}' never runs: ${p.day === undefined ? 'there is no such day' : `its month has no day ${p.day}`}.`,
        hint:
          p.day === undefined
            ? 'Write a day that the month has. Day of month and day of week must both match: write * for one of the two.'
            : `Write a day from 1 to ${p.last}.`,
      }),
    ),
  },
  ({ report }) => ({
    trigger: ({ cron }) => {
      const rule = cron === undefined ? undefined : scheduleOf(cron.value);
      if (cron === undefined || typeof rule !== 'object' || rule.next(from) !== undefined) return;
      const [day, last] = missingDay(cron.value);
      const span = day === undefined ? cron.span : spanOfDay(cron);
      report('impossible-schedule', span, { written: cron.value, day, last });
    },
  }),
);

/** The day that a month does not have, and the last one that it has every year. */
function missingDay(written: string): [string | undefined, number] {
  const [, , , day = '', month = '', dayOfWeek = ''] = written.trim().split(/\s+/);
  const last = month === '2' ? 28 : 30;
  const isMissing = /^\d+$/.test(day) && /^\d+$/.test(month) && /^[*?]$/.test(dayOfWeek);
  return [isMissing ? day : undefined, last];
}

/** The fourth field. */
function spanOfDay(cron: ScalarText): Span {
  const field = [...cron.value.matchAll(/\S+/g)][3];
  return field === undefined ? cron.span : cron.spanOf(field.index, field.index + field[0].length);
}

/** A day that is the same in every run of the compiler; the calendar repeats within 400 years. */
const from = new Date('2000-01-01T00:00:00Z');
