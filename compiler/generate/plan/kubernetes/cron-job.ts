/** Converts schedules to Kubernetes CronJob notation: five fields, starting with minutes, with different rules for days. */

/** One of the five fields: its min and max, and the names of its values starting at min. */
interface Field {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const months = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
const days = 'SUN MON TUE WED THU FRI SAT'.split(' ');
const fields: readonly Field[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];
const [dayOfMonth, dayOfWeek] = [2, 4];

/** A value, a range or a star, each with an optional step: cron and Kubernetes interpret these identically. */
const part = /^(?:\*|([0-9]+|[A-Z]{3})(?:-([0-9]+|[A-Z]{3}))?)(?:\/([0-9]+))?$/;

/**
 * The five-field schedule equivalent to a six-field schedule. Undefined if there is none: seconds other than 0, both day fields set
 * (Kubernetes runs if either matches, apikiln if both match), or ambiguous notation.
 */
export function cronJobSchedule(cron: string): string | undefined {
  const [seconds, ...others] = cron.trim().toUpperCase().split(/\s+/);
  if (seconds === undefined || !/^0+$/.test(seconds)) return undefined;
  const texts = others.map((text, index) => fieldText(text, fields[index]));
  const isDayTwice = texts[dayOfMonth] !== '*' && texts[dayOfWeek] !== '*';
  if (texts.length !== fields.length || texts.includes(undefined) || isDayTwice) return undefined;
  return texts.join(' ');
}

/** The field as written if Kubernetes interprets it identically, otherwise a list of the values; `*` for all values. */
function fieldText(text: string, field: Field | undefined): string | undefined {
  if (field === undefined) return undefined;
  const isDay = field.names === days;
  const values = new Set<number>();
  for (const one of text.split(',')) {
    const found = valuesOf(one, field, isDay ? 7 : field.max);
    if (found === undefined) return undefined;
    // apikiln accepts both 0 and 7 as Sunday, Kubernetes only 0.
    for (const value of found) values.add(isDay ? value % 7 : value);
  }
  if (values.size === field.max - field.min + 1) return '*';
  if (!isDay || !/7|-SUN/.test(text)) return text;
  return [...values].sort((a, b) => a - b).join(',');
}

function valuesOf(text: string, field: Field, max: number): number[] | undefined {
  const match = part.exec(text);
  if (match === null) return undefined;
  const [, from, to, step] = match;
  const first = from === undefined ? field.min : valueOf(from, field);
  // A value with a step extends to the end of the field: for minutes, `5/10` is 5, 15, … 55.
  const open = step === undefined && from !== undefined ? first : field.max;
  // At the end of a range, Sunday is the day after Saturday.
  const end = to === 'SUN' ? 7 : valueOf(to ?? '', field);
  const last = to === undefined ? open : end;
  const width = step === undefined ? 1 : Number(step);
  if (!(first >= field.min && first <= last && last <= max && width >= 1)) return undefined;
  return Array.from({ length: Math.floor((last - first) / width) + 1 }, (_, index) => first + index * width);
}

function valueOf(text: string, { min, names }: Field): number {
  return /^\d/.test(text) ? Number(text) : names.includes(text) ? names.indexOf(text) + min : NaN;
}
