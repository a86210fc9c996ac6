/** Schedules: six fields, a moment that comes, a time zone that there is (decisions 10.1 and 10.3). */
import { readCron, type CronRule } from '../../../runtime/schedule/cron.js';
import type { Trigger } from '../../config/config-model.js';
import type { Report } from '../../diagnostics/report.js';
import type { Rule } from '../rule.js';

export const schedule: Rule = ({ operations }, report) => {
  for (const trigger of operations.flatMap((operation) => operation.triggers)) checkTrigger(trigger, report);
};

/** A day that is the same in every run of the compiler; the calendar repeats within 400 years. */
const from = new Date('2000-01-01T00:00:00Z');

function checkTrigger({ cron, timezone }: Trigger, report: Report): void {
  if (timezone !== undefined && !isTimezone(timezone.value)) {
    report.add('unknown-timezone', timezone.place, { written: timezone.value });
  }
  if (cron === undefined) return;
  const rule = ruleOf(cron.value);
  if (typeof rule === 'string') {
    report.add('wrong-cron', cron.place, { written: cron.value, problem: rule });
  } else if (rule.next(from) === undefined) {
    report.add('impossible-schedule', cron.place, { written: cron.value });
  }
}

/** The schedule, or what is wrong with it. */
function ruleOf(pattern: string): CronRule | string {
  try {
    return readCron(pattern, 'UTC');
  } catch (error) {
    // The library puts its own name in front.
    const text = (error instanceof Error ? error.message : String(error)).replace(/^CronPattern: /, '');
    return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
  }
}

function isTimezone(name: string): boolean {
  try {
    readCron('0 0 0 * * *', name);
    return true;
  } catch {
    return false;
  }
}
