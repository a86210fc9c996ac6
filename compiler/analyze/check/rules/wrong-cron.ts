/** Schedules that cannot be read (decisions 10.1). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Span, ScalarText } from '../../../read/source.js';
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

/** The first range that ends before it begins, as it is written: the library counts days and months from 0. */
function writtenRange(written: string): string | undefined {
  const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
  const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
  const numberOf = (word: string): number =>
    /^\d+$/.test(word) ? Number(word) : Math.max(days.indexOf(word), months.indexOf(word));
  const ranges = written.toUpperCase().matchAll(/(?<![\w-])(\d{1,2}|[A-Z]{3})-(\d{1,2}|[A-Z]{3})(?![\w-])/g);
  return [...ranges].find(([, from = '', to = '']) => numberOf(from) > numberOf(to))?.[0];
}

/** The values of a field that has another one. */
function rangeHint(problem: string): string | undefined {
  const [, from, to] = /^the range '(\w+)-(\w+)' ends before/.exec(problem) ?? [];
  if (from !== undefined)
    return `Write two ranges: from ${from} to the end of the field, a comma, and from its beginning to ${to ?? ''}.`;
  const [, name] = /^invalid ([a-z ]+) '/.exec(problem) ?? [];
  const field = fields.find((one) => one.name === name);
  return field === undefined ? undefined : `Write ${field.range} for the ${field.name}.`;
}

/** The field with a value that it cannot have; all of the schedule where that is not known. */
function spanOfField(cron: ScalarText, problem: string): Span {
  const index = fieldOf(problem);
  const field = [...cron.value.matchAll(/\S+/g)][index];
  return field === undefined ? cron.span : cron.spanOf(field.index, field.index + field[0].length);
}

/** The index of the field that the library names; -1 where it names none. */
function fieldOf(problem: string): number {
  const [, name] = /^invalid value for (\w+):/.exec(problem) ?? [];
  return fields.findIndex(({ key }) => key === name);
}

/** The library counts days and months from 0, and explains their names in its own way. */
function inOwnWords(problem: string, written: string): string {
  const index = fieldOf(problem);
  const field = fields[index];
  if (field !== undefined) return `invalid ${field.name} '${written.trim().split(/\s+/)[index] ?? ''}'`;
  const [, range] = /^from value is larger than to value: '([^']*)'$/.exec(problem) ?? [];
  if (range !== undefined) return `the range '${writtenRange(written) ?? range}' ends before it begins`;
  const [, longest] =
    /^syntax error, steps cannot be greater than maximum value of part \((\d+)/.exec(problem) ?? [];
  if (longest !== undefined) return `a step is longer than its field, which has ${longest} values`;
  const [, name] = /a month or day name has to stand alone \('([^']*)'\)?/.exec(problem) ?? [];
  return name === undefined ? problem : `unknown day or month '${name}'`;
}

/** The fields of a schedule in their order: what the library calls them, and what they may hold. */
const fields = [
  { key: 'second', name: 'second', range: '0 to 59' },
  { key: 'minute', name: 'minute', range: '0 to 59' },
  { key: 'hour', name: 'hour', range: '0 to 23' },
  { key: 'day', name: 'day of month', range: '1 to 31' },
  { key: 'month', name: 'month', range: '1 to 12 or JAN to DEC' },
  { key: 'dayOfWeek', name: 'day of week', range: '0 to 7 or SUN to SAT' },
] as const;

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
            ? (rangeHint(p.problem) ??
              "Write second, minute, hour, day of month, month and day of week: '0 0 3 * * *' is every day at three.")
            : `The seconds are missing. Write ${instead}`,
        instead,
      };
    }),
  },
  ({ report }) => ({
    trigger: ({ cron }) => {
      const rule = cron === undefined ? undefined : scheduleOf(cron.value);
      if (cron !== undefined && typeof rule === 'string')
        report('wrong-cron', spanOfField(cron, rule), {
          written: cron.value,
          problem: inOwnWords(rule, cron.value),
        });
    },
  }),
);
