/** The schedule of a trigger: six fields, seconds first. `0 0 3 * * *` is every day at 3:00. */
import { Cron } from 'croner';

/** When a trigger ticks. */
export interface CronRule {
  /** The first tick after that time, a whole second; undefined if there is none. */
  next(after: Date): Date | undefined;
}

/**
 * Parses a schedule.
 *
 * - Day of month and day of week must both match. `5/10` is every tenth from the fifth on.
 * - The default time zone is that of the server.
 * - A time that a change of clocks skips runs right after it. A time that occurs twice runs once, unless the hour is a `*` or a range.
 *
 * Throws an Error for an invalid schedule or time zone.
 */
export function readCron(pattern: string, timezone?: string): CronRule {
  const fields = pattern.trim().split(/\s+/);
  // The library also accepts a date, which has no fields.
  if (fields.length !== 6)
    throw new TypeError(`a schedule has six fields, and this one has ${fields.length}`);
  const cron = new Cron(fields.join(' '), {
    mode: '6-part',
    domAndDow: true,
    sloppyRanges: true,
    paused: true,
    ...(timezone === undefined ? {} : { timezone }),
  });
  // An unknown time zone is only detected here.
  cron.nextRun();
  return { next: (after) => cron.nextRun(after) ?? undefined };
}
