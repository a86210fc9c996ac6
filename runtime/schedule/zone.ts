/** Offsets from UTC of a time zone, and the moments at which its clocks change. */

/** Milliseconds. Longer than clocks were ever changed by: Samoa and Kwajalein skipped a day. No two changes are closer than this. */
export const longestChange = 25 * 3_600_000;

const second = 1000;

/** A time zone. All times are milliseconds since 1970 and whole seconds. */
export class Zone {
  private readonly format: Intl.DateTimeFormat;

  /** `name` is an IANA name; the default is the time zone of the server. Throws a RangeError for an unknown time zone. */
  constructor(name?: string) {
    this.format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  }

  /** How far local time is ahead of UTC. */
  offsetAt(time: number): number {
    // GMT+05:30, and GMT-00:44:30 of Monrovia until 1972. Some versions write UTC as GMT alone.
    const [, sign, hours, minutes, seconds = 0] =
      /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(this.format.format(time)) ?? [];
    const ahead = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * second;
    if (sign === undefined) return 0;
    return sign === '-' ? -ahead : ahead;
  }

  /** The first second with the offset of `late`. The clocks change once between the two. */
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
