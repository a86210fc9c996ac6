/** Schedules that never come (decisions 10.1). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';
import { scheduleOf } from '../schedule-of.js';

export const impossibleSchedule = rule(
  {
    'impossible-schedule': error((p: { written: string }) => ({
      message: `The schedule '${p.written}' never runs: there is no such day.`,
      hint: 'Day of month and day of week must both match.',
    })),
  },
  ({ report }) => ({
    trigger: ({ cron }) => {
      const rule = cron === undefined ? undefined : scheduleOf(cron.value);
      if (cron !== undefined && typeof rule === 'object' && rule.next(from) === undefined)
        report('impossible-schedule', cron.place, { written: cron.value });
    },
  }),
);

/** A day that is the same in every run of the compiler; the calendar repeats within 400 years. */
const from = new Date('2000-01-01T00:00:00Z');
