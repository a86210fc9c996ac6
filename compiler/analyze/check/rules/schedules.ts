/** Checks the schedules of triggers, which have six fields, beginning with seconds. */
import { error, meantOr, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import type { ScalarText, Span } from '../../../read/source.js';
import { rule } from '../rule.js';
import { readCron, type CronRule } from '../../../../runtime/schedule/cron.js';

const named: Readonly<Record<string, string>> = {
  '@yearly': '0 0 0 1 1 *',
  '@annually': '0 0 0 1 1 *',
  '@monthly': '0 0 0 1 * *',
  '@weekly': '0 0 0 * * 0',
  '@daily': '0 0 0 * * *',
  '@midnight': '0 0 0 * * *',
  '@hourly': '0 0 * * * *',
};

/** The first reversed range, as written: the library counts days and months from 0. */
function writtenRange(written: string): string | undefined {
  const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
  const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
  const numberOf = (word: string): number =>
    /^\d+$/.test(word) ? Number(word) : Math.max(days.indexOf(word), months.indexOf(word));
  const ranges = written.toUpperCase().matchAll(/(?<![\w-])(\d{1,2}|[A-Z]{3})-(\d{1,2}|[A-Z]{3})(?![\w-])/g);
  return [...ranges].find(([, from = '', to = '']) => numberOf(from) > numberOf(to))?.[0];
}

/** A hint for a field with a reversed range. */
function rangeHint(problem: string): string | undefined {
  const [, from, to] = /^the range '(\w+)-(\w+)' ends before/.exec(problem) ?? [];
  if (from !== undefined)
    return `Write two ranges: from ${from} to the end of the field, a comma, and from its beginning to ${to ?? ''}.`;
  const [, name] = /^invalid ([a-z ]+) '/.exec(problem) ?? [];
  const field = fields.find((one) => one.name === name);
  return field === undefined ? undefined : `Write ${field.range} for the ${field.name}.`;
}

/** The span of the field with the invalid value; the whole schedule if unknown. */
function spanOfField(cron: ScalarText, problem: string): Span {
  const index = fieldOf(problem);
  const field = [...cron.value.matchAll(/\S+/g)][index];
  return field === undefined ? cron.span : cron.spanOf(field.index, field.index + field[0].length);
}

/** The index of the field named by the library; -1 if there is none. */
function fieldOf(problem: string): number {
  const [, name] = /^invalid value for (\w+):/.exec(problem) ?? [];
  return fields.findIndex(({ key }) => key === name);
}

/** The problem in our terms: the library counts days and months from 0, and uses its own names. */
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

/** The fields of a schedule in order: the library's names, and their valid values. */
const fields = [
  { key: 'second', name: 'second', range: '0 to 59' },
  { key: 'minute', name: 'minute', range: '0 to 59' },
  { key: 'hour', name: 'hour', range: '0 to 23' },
  { key: 'day', name: 'day of month', range: '1 to 31' },
  { key: 'month', name: 'month', range: '1 to 12 or JAN to DEC' },
  { key: 'dayOfWeek', name: 'day of week', range: '0 to 7 or SUN to SAT' },
] as const;

/** The equivalent of a schedule in another tool's notation: a name, a seventh field for the year, or full names of days. */
function meantSchedule(written: string): string | undefined {
  if (Object.hasOwn(named, written.toLowerCase())) return named[written.toLowerCase()];
  const [, six] = /^(\S+(?:\s+\S+){5})\s+[*?]$/.exec(written) ?? [];
  const whole = /\b(SUN|MON|TUE|WED|THU|FRI|SAT)(?:DAY|SDAY|NESDAY|RSDAY|URDAY)\b/gi;
  const meant = (six ?? written).replaceAll(whole, '$1');
  return meant !== written && typeof scheduleOf(meant) !== 'string' ? meant : undefined;
}

/** Reports invalid schedules. */
export const wrongCron = rule(
  {
    'wrong-cron': error(
      { written: 'text', problem: 'sentence' },
      (p: { written: string; problem: string }) => {
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
      },
    ),
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

/** Reports schedules that never trigger. */
export const impossibleSchedule = rule(
  {
    'impossible-schedule': error(
      { written: 'text', day: 'text' },
      (p: {
        written: string;
        /** The day and month; undefined unless the schedule is for a single day of a single month. */
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
      const [, before = '', day, month] = missingDay.exec(cron.value) ?? [];
      const span = day === undefined ? cron.span : cron.spanOf(before.length, before.length + day.length);
      report('impossible-schedule', span, { written: cron.value, day, last: month === '2' ? 28 : 30 });
    },
  }),
);

/** A single day of a single month, which may not exist. */
const missingDay = /^(\s*\S+\s+\S+\s+\S+\s+)(\d+)\s+(\d+)\s+[*?]\s*$/;

/** A fixed date, so that results are reproducible. The calendar repeats every 400 years. */
const from = new Date('2000-01-01T00:00:00Z');

/** Reports triggers of an operation with the same schedule. */
export const sameSchedule = rule(
  {
    'same-schedule': warning({ name: 'text' }, (p: { name: string; first: Span }) => ({
      message: `Same schedule as trigger '${p.name}': the operation runs once for both.`,
      hint: 'Remove one of the two, or write another schedule.',
      related: [{ span: p.first, message: 'the same schedule' }],
    })),
  },
  ({ report }) => ({
    operation: ({ triggers }) => {
      const seen = new Map<string, { name: string; first: Span }>();
      for (const { name, cron, timezone } of triggers) {
        if (cron === undefined) continue;
        const key = `${cron.value.trim().replaceAll(/\s+/g, ' ')} ${timezone?.value ?? ''}`;
        const other = seen.get(key);
        if (other !== undefined) report('same-schedule', cron.span, other);
        else seen.set(key, { name: name.value, first: cron.span });
      }
    },
  }),
);

/** Reports unknown time zones. */
export const unknownTimezone = rule(
  {
    'unknown-timezone': error(
      { written: 'text', nearest: 'suggestion' },
      (p: { written: string; nearest: string | undefined }) => ({
        message: `Unknown time zone '${p.written}'.`,
        ...meantOr(p.nearest, "Write a name of the IANA list, such as 'Europe/Berlin' or 'UTC'."),
        isSuggestion: true,
      }),
    ),
  },
  ({ report }) => ({
    trigger: ({ timezone }) => {
      if (timezone !== undefined && typeof scheduleOf('0 0 0 * * *', timezone.value) === 'string')
        report('unknown-timezone', timezone.span, {
          written: timezone.value,
          nearest: meantZone(timezone.value),
        });
    },
  }),
);

/** A similar name, or the only time zone for that city. */
function meantZone(written: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone');
  const city = written.trim().replaceAll(/\s+/g, '_').toLowerCase();
  const [only, other] = zones.filter((zone) => zone.toLowerCase().endsWith(`/${city}`));
  return only !== undefined && other === undefined
    ? only
    : nearest(written, written.includes('/') ? zones : []);
}

/** The schedule, or the problem (also for an unknown time zone). */
function scheduleOf(pattern: string, timezone = 'UTC'): CronRule | string {
  try {
    return readCron(pattern, timezone);
  } catch (error) {
    // The library adds its name after the error name.
    const text = String(error).replace(/^\w*Error: (?:CronPattern: )?/, '');
    return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
  }
}
