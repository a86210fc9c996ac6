/** Dates and timestamps as points in time: `2026-01-01T10:00:00+02:00` is before `2026-01-01T09:00:00Z`. No function throws. */

/** A point in time with all digits of its fraction. Values without a time zone are in UTC, and a date means midnight. */
interface Instant {
  /** Seconds since 1970-01-01T00:00:00Z; infinite for `infinity` of PostgreSQL. */
  readonly seconds: number;
  /** The digits of the fraction, without trailing zeros. */
  readonly fraction: string;
}

/** Negative, zero or positive; undefined unless both strings are times. */
export function orderTimes(left: string, right: string): number | undefined {
  const one = instantOf(left);
  const other = one && instantOf(right);
  if (one === undefined || other === undefined) return undefined;
  if (one.seconds !== other.seconds) return one.seconds < other.seconds ? -1 : 1;
  if (one.fraction === other.fraction) return 0;
  // Without trailing zeros, the digits sort like the fractions.
  return one.fraction < other.fraction ? -1 : 1;
}

/** A string that is equal for all notations of a point in time; undefined if the string is not a time. */
export function timeKey(text: string): string | undefined {
  const instant = instantOf(text);
  return instant && `${instant.seconds}.${instant.fraction}`;
}

/** Whether the string is a date or a timestamp in a notation of RFC 3339 or of a database. */
export function isTime(text: string): boolean {
  return instantOf(text) !== undefined;
}

const written =
  /^(\d{4,6})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?(?::(\d\d))?)?)?( BC)?$/;

/** Infinities, and years with more than four digits. */
const mayBeRare = /^(?:-?infinity$|\d{5,6}-)/;

function instantOf(text: string): Instant | undefined {
  // Most strings are not times.
  if (text[4] !== '-' && !mayBeRare.test(text)) return undefined;
  if (text === 'infinity') return { seconds: Infinity, fraction: '' };
  if (text === '-infinity') return { seconds: -Infinity, fraction: '' };
  const match: readonly (string | undefined)[] | null = written.exec(text);
  if (match === null) return undefined;
  const part = (index: number): number => Number(match[index] ?? 0);
  const year = match[12] === undefined ? part(1) : 1 - part(1);
  const [month, day, hour, minute, second] = [part(2), part(3), part(4), part(5), part(6)];
  if (month > 12 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 60) return undefined;
  const offset = (part(9) * 60 + part(10)) * 60 + part(11);
  return {
    seconds:
      daysBefore(year, month, day) * 86_400 +
      (hour * 60 + minute) * 60 +
      second -
      (match[8] === '-' ? -offset : offset),
    fraction: (match[7] ?? '').replace(/(?<!0)0+$/, ''),
  };
}

/** The days in a month. On MySQL, month and day can be 0. */
function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days since 1970-01-01. Date is not used, because it reads the year 26 as 1926 and ends in the year 275760. */
function daysBefore(year: number, month: number, day: number): number {
  // In a year that begins in March, the leap day is the last day.
  const march = month > 2 ? year : year - 1;
  const months = month > 2 ? month - 3 : month + 9;
  const leapDays = Math.floor(march / 4) - Math.floor(march / 100) + Math.floor(march / 400);
  return march * 365 + leapDays + Math.floor((153 * months + 2) / 5) + day - 719_469;
}
