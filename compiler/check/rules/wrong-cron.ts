/** Schedules that cannot be read (decisions 10.1). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';
import { scheduleOf } from '../schedule-of.js';

const named: Readonly<Record<string, string>> = {
  '@yearly': '0 0 0 1 1 *',
  '@annually': '0 0 0 1 1 *',
  '@monthly': '0 0 0 1 * *',
  '@weekly': '0 0 0 * * 0',
  '@daily': '0 0 0 * * *',
  '@midnight': '0 0 0 * * *',
  '@hourly': '0 0 * * * *',
};

/** The schedule that other tools write with a name, a seventh field for every year, or a day by its whole name. */
function meantSchedule(written: string): string | undefined {
  if (Object.hasOwn(named, written.toLowerCase())) return named[written.toLowerCase()];
  const [, six] = /^(\S+(?:\s+\S+){5})\s+[*?]$/.exec(written) ?? [];
  const whole = /\b(SUN|MON|TUE|WED|THU|FRI|SAT)(?:DAY|SDAY|NESDAY|RSDAY|URDAY)\b/gi;
  const meant = (six ?? written).replaceAll(whole, '$1');
  return meant !== written && typeof scheduleOf(meant) !== 'string' ? meant : undefined;
}

export const wrongCron = rule(
  {
    'wrong-cron': error((p: { written: string; problem: string }) => {
      const meant = meantSchedule(p.written.trim());
      if (meant !== undefined)
        return {
          message: `Invalid schedule '${p.written}': ${p.problem}.`,
          hint: `Write ${meant}`,
          instead: meant,
        };
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
