/** Durations with a unit: `90s`, `15m`, `12h`, `30d`. */

/** The seconds of each unit. */
export const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 60 * 60, d: 24 * 60 * 60 };

/** The seconds of a duration; undefined if it is not a positive whole number with a unit. */
export function secondsIn(written: string): number | undefined {
  const [, digits, unit = ''] = /^([1-9]\d{0,8})([smhd])$/.exec(written.trim()) ?? [];
  const factor = units[unit];
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}
