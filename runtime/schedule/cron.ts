/** The schedule of a trigger: six fields, seconds first. `0 0 3 * * *` is every day at 3:00. */
import { Cron } from 'croner';

/** When a trigger ticks. */
export interface CronRule {
  /** The first tick after that moment, a whole second; undefined when there is none any more. */
  next(after: Date): Date | undefined;
}

/**
 * Reads a schedule. Day of month and day of week must both match; `5/10` means every tenth from the fifth on. Without a
 * time zone it is that of the server. A time that a change of clocks leaves out runs right after it; a time that occurs
 * twice runs once, unless the hour has a `*` or a range. Throws an Error for what is no schedule, or no time zone.
 */
export function readCron(pattern: string, timezone?: string): CronRule {
  const fields = pattern.trim().split(/\s+/);
  // The library would also take a date, which has no fields at all.
  if (fields.length !== 6)
    throw new TypeError(`a schedule has six fields, and this one has ${fields.length}`);
  const cron = new Cron(fields.join(' '), {
    mode: '6-part',
    domAndDow: true,
    sloppyRanges: true,
    paused: true,
    ...(timezone === undefined ? {} : { timezone }),
  });
  // A time zone that is not known shows only here.
  cron.nextRun();
  return { next: (after) => cron.nextRun(after) ?? undefined };
}
