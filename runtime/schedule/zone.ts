/** UTC offsets of a time zone, and the times at which its clocks change. */

/** Milliseconds. Exceeds any clock change so far (Samoa and Kwajalein skipped a day), and is less than the time between two changes. */
export const longestChange = 25 * 3_600_000;

const second = 1000;

/** A time zone. All times are in milliseconds since 1970, and in whole seconds. */
export class Zone {
  private readonly format: Intl.DateTimeFormat;

  /** `name` is an IANA name; defaults to the time zone of the server. Throws a RangeError for an unknown time zone. */
  constructor(name?: string) {
    this.format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  }

  /** The difference between local time and UTC, positive if local time is ahead. */
  offsetAt(time: number): number {
    // For example GMT+05:30, or GMT-00:44:30 for Monrovia until 1972. Some versions of Node format UTC as GMT alone.
    const [, sign, hours, minutes, seconds = 0] =
      /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(this.format.format(time)) ?? [];
    const ahead = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * second;
    if (sign === undefined) return 0;
    return sign === '-' ? -ahead : ahead;
  }

  /** The first second with the offset of `late`. The clocks must change exactly once between the two times. */
  changeBetween(early: number, late: number): number {
    const offset = this.offsetAt(late);
    let [before, after] = [early, late];
    while (after - before > second) {
      const middle = before + Math.floor((after - before) / 2 / second) * second;
      if (this.offsetAt(middle) === offset) after = middle;
      else before = middle;
    }
    return after;
  }
}
