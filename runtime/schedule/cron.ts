/** The schedule of a trigger: six fields, starting with seconds. `0 0 3 * * *` means every day at 3:00. */
import { Cron } from 'croner';
import { longestChange, Zone } from './zone.js';

/** The times at which a trigger ticks. */
export interface CronRule {
  /** The first tick after the given time, in whole seconds; undefined if there are no more ticks. */
  next(after: Date): Date | undefined;
}

/**
 * Parses a schedule.
 *
 * - Day of month and day of week must both match. `5/10` means every tenth, starting at the fifth.
 * - The default time zone is that of the server.
 * - Times skipped when clocks are set forward run immediately afterwards, as a single tick.
 * - A time that occurs twice when clocks are set back only runs the first time, unless its hour is matched by `*`, a range or a step.
 *
 * Throws an Error for an invalid schedule or time zone.
 */
export function readCron(pattern: string, timezone?: string): CronRule {
  const fields = pattern.trim().split(/\s+/);
  // The library also accepts a date instead of fields.
  if (fields.length !== 6)
    throw new TypeError(`a schedule has six fields, and this one has ${fields.length}`);
  return new ZonedRule(new LocalTimes(fields), repeatedTimes(fields), new Zone(timezone));
}

/** The times that run again when clocks are set back: those whose hour is not a plain number. */
function repeatedTimes(fields: readonly string[]): LocalTimes | undefined {
  const hours = fields[2]?.split(',').filter((part) => !/^\d+$/.test(part)) ?? [];
  return hours.length === 0 ? undefined : new LocalTimes(fields.with(2, hours.join(',')));
}

/** The local times at which a schedule ticks, represented as if they were UTC. */
class LocalTimes {
  private readonly cron: Cron;

  constructor(fields: readonly string[]) {
    this.cron = new Cron(fields.join(' '), {
      mode: '6-part',
      domAndDow: true,
      sloppyRanges: true,
      paused: true,
      // UTC, because the library only handles clock changes correctly for schedules with a single time in the hour of the change.
      timezone: 'UTC',
    });
  }

  /** The first local time at or after the given one. */
  from(local: number): number | undefined {
    return this.cron.nextRun(new Date(local - 1))?.getTime();
  }
}

/** A schedule in a time zone. */
class ZonedRule implements CronRule {
  constructor(
    private readonly times: LocalTimes,
    private readonly repeated: LocalTimes | undefined,
    private readonly zone: Zone,
  ) {}

  next(after: Date): Date | undefined {
    let from = Math.floor(after.getTime() / 1000) * 1000 + 1000;
    for (;;) {
      const step = this.step(from);
      if (step === undefined) return undefined;
      if (step.isTick) return new Date(step.time);
      from = step.time;
    }
  }

  /** The first tick at or after the given time, or a later time before which there are no ticks; undefined if there are no more ticks. */
  private step(from: number): { readonly time: number; readonly isTick: boolean } | undefined {
    const { zone, times } = this;
    const offset = zone.offsetAt(from);
    if (this.isAfterSkipped(from, offset)) return tickAt(from);
    const end = this.endOfRepeat(from, offset);
    if (end !== undefined) {
      const tick = (this.repeated?.from(from + offset) ?? Infinity) - offset;
      return tick < end ? tickAt(tick) : noneBefore(end);
    }
    const local = times.from(from + offset);
    if (local === undefined) return undefined;
    const tick = local - offset;
    const until = Math.min(tick, from + longestChange);
    if (zone.offsetAt(until) !== offset) return noneBefore(zone.changeBetween(from, until));
    // There are no matches before that local time, so clock changes in between do not matter.
    return until === tick ? tickAt(tick) : noneBefore(Math.max(until, local - 2 * longestChange));
  }

  /** Whether clocks are set forward at this time, skipping times of the schedule. */
  private isAfterSkipped(from: number, offset: number): boolean {
    const before = this.zone.offsetAt(from - 1000);
    if (before >= offset) return false;
    const local = this.times.from(from + before);
    return local !== undefined && local < from + offset;
  }

  /** If `from` is a local time that occurs for the second time, the end of the repeated period. */
  private endOfRepeat(from: number, offset: number): number | undefined {
    const { zone } = this;
    const early = from - longestChange;
    const setBack = zone.offsetAt(early) - offset;
    if (setBack <= 0) return undefined;
    const end = zone.changeBetween(early, from) + setBack;
    return from < end ? end : undefined;
  }
}

const tickAt = (time: number) => ({ time, isTick: true });
const noneBefore = (time: number) => ({ time, isTick: false });
