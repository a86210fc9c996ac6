/** Learns how long a statement takes in the database, and so whether it may share a connection with others. */

/** Milliseconds that it may take on average, and on average again after it took longer. */
const trusted = 10;
const trustedAgain = 5;

/** A single run counts for this many milliseconds at most. */
const longest = 1_000;

/** Runs that have to be known before it is trusted, and runs after which an old one is mostly forgotten. */
const proof = 3;
const memory = 64;

export class Pace {
  private runs = 0;
  /** Milliseconds that it takes, on average; the latest runs count most. */
  mean = 0;
  private limit = trusted;

  get isQuick(): boolean {
    return this.runs >= proof && this.mean <= this.limit;
  }

  /** Takes note of the milliseconds of a run. */
  took(milliseconds: number): void {
    this.runs = Math.min(this.runs + 1, memory);
    this.mean += (Math.min(Math.max(milliseconds, 0), longest) - this.mean) / this.runs;
    if (this.mean > trusted) this.limit = trustedAgain;
    else if (this.mean <= trustedAgain) this.limit = trusted;
  }
}
