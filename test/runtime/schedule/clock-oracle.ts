/** The expected ticks of a schedule around a clock change, found by checking every instant of the surrounding days. */

const minute = 60_000;
const day = 24 * 60 * minute;

/** Local wall clock time, written as if it were UTC, in milliseconds. */
type LocalTime = number;

/**
 * Reads local times of a zone. Uses the fields of the formatted time, because the offset, which the runtime uses, could have different
 * errors.
 */
export class WallClock {
  private readonly format: Intl.DateTimeFormat;

  constructor(readonly zone: string) {
    this.format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
  }

  at(time: number): LocalTime {
    const fields = new Map(this.format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => fields.get(type) ?? NaN;
    return Date.UTC(
      ...([part('year'), part('month') - 1, part('day')] as const),
      ...([part('hour'), part('minute'), part('second')] as const),
    );
  }

  /** The first instants after each clock change of the year, as multiples of `unit` milliseconds. */
  changesOf(year: number, unit = minute): number[] {
    const offset = (time: number): number => this.at(time) - time;
    const changes: number[] = [];
    const hour = 60 * minute;
    for (let time = Date.UTC(year, 0, 1); time < Date.UTC(year + 1, 0, 1); time += hour) {
      if (offset(time) === offset(time + hour)) continue;
      let first = time + unit;
      while (offset(first) === offset(time)) first += unit;
      changes.push(first);
    }
    return changes;
  }
}

/** The days around a clock change: the local time at each instant, and the instants of each local time. */
export class ChangedDays {
  /** The first and last instants compared. */
  readonly from: number;
  readonly to: number;
  private readonly moments = new Map<LocalTime, number[]>();
  /** The first instant after the skip, for each skipped local time. */
  private readonly skipped = new Map<LocalTime, number>();

  /** `unit`: milliseconds between two checked instants. Today's offsets are whole minutes. */
  constructor(
    clock: WallClock,
    readonly change: number,
    readonly unit = minute,
  ) {
    this.from = change - 1.25 * day;
    this.to = change + 1.25 * day;
    let latest: LocalTime | undefined;
    for (let time = change - 2.5 * day; time <= change + 2.5 * day; time += unit) {
      const local = clock.at(time);
      const shown = this.moments.get(local);
      if (shown === undefined) this.moments.set(local, [time]);
      else shown.push(time);
      if (latest !== undefined)
        for (let missing = latest + unit; missing < local; missing += unit) this.skipped.set(missing, time);
      latest = Math.max(latest ?? local, local);
    }
  }

  /** The ticks of a schedule from `from` to `to`. */
  ticks(schedule: string): number[] {
    const fields = new Fields(schedule);
    const ticks = new Set<number>();
    for (const [local, after] of this.skipped)
      if (fields.secondsOf(local, this.unit).length > 0) ticks.add(after);
    for (const [local, moments] of this.moments)
      for (const second of fields.secondsOf(local, this.unit))
        for (const moment of fields.isRepeated(local) ? moments : moments.slice(0, 1))
          ticks.add(moment + second);
    return [...ticks].filter((tick) => tick > this.from && tick <= this.to).sort((a, b) => a - b);
  }
}

const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** The six fields of a schedule, parsed independently of the runtime. */
class Fields {
  private readonly seconds: readonly number[];
  private readonly minutes: ReadonlySet<number>;
  private readonly hours: ReadonlySet<number>;
  private readonly repeatedHours: ReadonlySet<number>;
  private readonly days: string;
  private readonly months: ReadonlySet<number>;
  private readonly weekdays: string;

  constructor(schedule: string) {
    const [seconds = '', minutes = '', hours = '', days = '', months = '', week = ''] = schedule.split(' ');
    this.seconds = [...valuesOf(seconds, 0, 59)].sort((a, b) => a - b);
    this.minutes = valuesOf(minutes, 0, 59);
    this.hours = valuesOf(hours, 0, 23);
    const repeated = hours.split(',').filter((part) => /[*?/-]/.test(part));
    this.repeatedHours = valuesOf(repeated.join(','), 0, 23);
    this.days = days;
    this.months = valuesOf(months, 1, 12);
    this.weekdays = week.replaceAll(/[A-Z]{3}/g, (name) => String(weekdays.indexOf(name)));
  }

  /** The ticks within the `unit` that begins at `local`, as milliseconds after its beginning. */
  secondsOf(local: LocalTime, unit: number): number[] {
    const time = new Date(local);
    const isMatched =
      this.minutes.has(time.getUTCMinutes()) &&
      this.hours.has(time.getUTCHours()) &&
      this.months.has(time.getUTCMonth() + 1) &&
      this.hasDay(time) &&
      this.hasWeekday(time);
    const first = time.getUTCSeconds();
    return isMatched
      ? this.seconds.map((second) => (second - first) * 1000).filter((after) => after >= 0 && after < unit)
      : [];
  }

  /** Whether a local time that occurs twice is a tick both times: its hour is matched by a part that is not a single number. */
  isRepeated(local: LocalTime): boolean {
    return this.repeatedHours.has(new Date(local).getUTCHours());
  }

  private hasDay(time: Date): boolean {
    if (this.days === 'L') return new Date(time.getTime() + day).getUTCDate() === 1;
    return valuesOf(this.days, 1, 31).has(time.getUTCDate());
  }

  private hasWeekday(time: Date): boolean {
    const [weekday, date] = [time.getUTCDay(), time.getUTCDate()];
    return this.weekdays.split(',').some((part) => {
      const [, only, which] = /^(\d)(#\d|L)$/.exec(part) ?? [];
      if (only === undefined) return [...valuesOf(part, 0, 7)].some((value) => value % 7 === weekday);
      const isLast = new Date(time.getTime() + 7 * day).getUTCDate() <= 7;
      return Number(only) === weekday && (which === 'L' ? isLast : which === `#${Math.ceil(date / 7)}`);
    });
  }
}

/** The values of a field without names. */
function valuesOf(field: string, min: number, max: number): Set<number> {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '', step] = part.split('/');
    const isAll = range === '*' || range === '?';
    const [from, to] = isAll ? [min, max] : range.split('-').map(Number);
    if (from === undefined || part === '') continue;
    const last = to ?? (step === undefined ? from : max);
    for (let value = from; value <= last; value += Number(step ?? 1)) values.add(value);
  }
  return values;
}
