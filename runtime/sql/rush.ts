/** A time in which all connections of a datasource are in use: how long one more who waits would have to wait, by what has been returned since its begin. */

/** Leases after which an old one is mostly forgotten. */
const memory = 64;

export class Rush {
  /** Undefined while there is a free connection. */
  private since: number | undefined;
  private returned = 0;
  /** The average milliseconds of a lease that was returned in this rush. */
  private mean = 0;

  /** All connections are in use now, or still are. Returns for how many milliseconds they have been. */
  lasts(now: number): number {
    this.since ??= now;
    return now - this.since;
  }

  /** A connection is free that nobody waits for. */
  ends(): void {
    this.since = undefined;
    this.returned = 0;
    this.mean = 0;
  }

  /** A connection was returned after so many milliseconds. */
  returns(milliseconds: number): void {
    if (this.since === undefined) return;
    this.returned = Math.min(this.returned + 1, memory);
    this.mean += (milliseconds - this.mean) / this.returned;
  }

  /** The milliseconds until it is the turn of somebody behind so many others; 0 as long as nothing has been returned. */
  wait(leasedAt: Iterable<number>, others: number, now: number): number {
    const left = [...leasedAt]
      .map((at) => Math.max(0, at + this.mean - now))
      .sort((one, other) => one - other);
    if (left.length === 0) return 0;
    return Math.floor(others / left.length) * this.mean + (left[others % left.length] ?? 0);
  }
}
