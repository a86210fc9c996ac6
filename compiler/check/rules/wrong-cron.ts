/** Schedules that cannot be read (decisions 10.1). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';
import { scheduleOf } from '../schedule-of.js';

export const wrongCron = rule(
  {
    'wrong-cron': error((p: { written: string; problem: string }) => {
      const hasNoSeconds = /^\s*\S+(?:\s+\S+){4}\s*$/.test(p.written);
      const instead = hasNoSeconds ? `0 ${p.written.trim()}` : undefined;
      return {
        message: `Invalid schedule '${p.written}': ${p.problem}.`,
        hint:
          instead === undefined
            ? "Write second, minute, hour, day of month, month and day of week: '0 0 3 * * *' is every day at three."
            : `The seconds are missing. Write ${instead}`,
        instead,
      };
    }),
  },
  ({ report }) => ({
    trigger: ({ cron }) => {
      const rule = cron === undefined ? undefined : scheduleOf(cron.value);
      if (cron !== undefined && typeof rule === 'string')
        report('wrong-cron', cron.place, { written: cron.value, problem: rule });
    },
  }),
);
