/** Schedules: six fields, a moment that comes, a time zone that there is (decisions 10.1 and 10.3). */
import { Cron } from 'croner';
import type { Trigger } from '../../config/model.js';
import type { Report } from '../../diagnostics/report.js';
import type { ScalarText } from '../../source.js';
import type { Rule } from '../rule.js';

export const schedule: Rule = ({ operations }, report) => {
  for (const trigger of operations.flatMap((operation) => operation.triggers)) checkTrigger(trigger, report);
};

/** From a day that is the same in every run of the compiler; patterns repeat within 400 years at the latest. */
const from = new Date('2000-01-01T00:00:00Z');

function checkTrigger({ cron, timezone }: Trigger, report: Report): void {
  if (timezone !== undefined && !isTimezone(timezone.value)) {
    report.add('unknown-timezone', timezone.place, { written: timezone.value });
  }
  if (cron === undefined) return;
  const problem = problemOf(cron);
  if (problem !== undefined) {
    report.add('wrong-cron', cron.place, { written: cron.value, problem });
  } else if (parse(cron.value).nextRun(from) === null) {
    report.add('impossible-schedule', cron.place, { written: cron.value });
  }
}

/** With the options of the runtime. */
function parse(pattern: string): Cron {
  return new Cron(pattern, { mode: '6-part', domAndDow: true, sloppyRanges: true, timezone: 'UTC', paused: true });
}

function problemOf({ value }: ScalarText): string | undefined {
  const fields = value.trim().split(/\s+/);
  if (fields.length !== 6) return `it has ${fields.length} field${fields.length === 1 ? '' : 's'}, not six`;
  try {
    parse(value.trim());
    return undefined;
  } catch (error) {
    return wording(error instanceof Error ? error.message : String(error));
  }
}

/** What the library says, without its own name. */
function wording(message: string): string {
  const text = message.replace(/^CronPattern: /, '');
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
