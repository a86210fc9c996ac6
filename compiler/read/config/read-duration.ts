/** Reads fields with a duration: a whole number with the unit s, m, h or d. */
import { units } from './duration.js';
import type { Fields } from './fields.js';

const day = 86_400;

/** The seconds of the field, from 1 to `longest`, which is a whole number of days; undefined if it is missing, or reported. */
export function readDuration(
  fields: Fields,
  name: string,
  { longest, example }: { readonly longest: number; readonly example: string },
): number | undefined {
  const text = fields.text(name);
  if (text === undefined) return undefined;
  const [, digits = '', unit = ''] = /^(\d{1,8})([a-z])$/.exec(text.value.trim()) ?? [];
  const seconds = Object.hasOwn(units, unit) ? Number(digits) * (units[unit] ?? 0) : 0;
  if (seconds >= 1 && seconds <= longest) return seconds;
  fields.report.add('wrong-kind', text.span, {
    what: `'${name}'`,
    expected: `a time from 1s to ${longest / day}d, with the unit s, m, h or d`,
    example: `${name}: ${meantTime(text.value, longest) ?? example}`,
  });
  return undefined;
}

/** The time meant by a number of seconds, or by a unit in another notation. */
function meantTime(written: string, longest: number): string | undefined {
  const [, digits, unit = 's'] = /^(\d{1,7})\s*([a-z])?[a-z]*$/i.exec(written.trim()) ?? [];
  const meant = unit.toLowerCase();
  if (digits === undefined || Number(digits) === 0 || !Object.hasOwn(units, meant)) return undefined;
  return Number(digits) * (units[meant] ?? 0) > longest ? undefined : `${digits}${meant}`;
}
