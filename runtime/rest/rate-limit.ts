/** `limit`: how many requests per second, and how many concurrent requests, a process sends to a third-party API. Other requests wait. */
import { afterChanges, type Call } from '../handler/call.js';
import { ServiceError } from '../handler/reply.js';
import type { CallSite } from './failure.js';
import type { RateLimit } from './parts.js';
import { withinCall } from './within-call.js';

export interface LimitRule {
  /** Requests started per second; 0.5 means one every two seconds. */
  readonly perSecond?: number;
  /** Maximum number of concurrent requests. */
  readonly atOnce?: number;
}

/** Creates the limit of a datasource. */
export function rateLimit(rule: LimitRule): RateLimit {
  return new Turns(rule);
}

interface Waiting {
  readonly begin: () => void;
  hasBegun: boolean;
}

class Turns implements RateLimit {
  readonly #atOnce: number;
  /** Maximum requests in each window; 0 means unlimited. The window is in milliseconds. */
  readonly #count: number;
  readonly #window: number;
  /** The start times of the last `count` requests, oldest first. */
  readonly #begun: number[] = [];
  #underWay = 0;
  /** Waiting requests, in order of arrival. */
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ perSecond, atOnce = Infinity }: LimitRule) {
    this.#atOnce = atOnce;
    this.#count = perSecond === undefined ? 0 : Math.max(1, Math.floor(perSecond));
    this.#window = perSecond === undefined ? 0 : (this.#count / perSecond) * 1000;
  }

  async turn(call: Call, callSite: CallSite): Promise<() => void> {
    if (this.#waiting.size === 0 && this.#pause() === 0) this.#begin();
    else await this.#wait(call, callSite);
    return this.#end;
  }

  async #wait(call: Call, callSite: CallSite): Promise<void> {
    const least = this.#leastWait();
    // A request that cannot start before its deadline would only delay other requests.
    if (performance.now() + least > call.deadline) throw afterChanges(call, tooMany(callSite, least));
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const waiting = { begin, hasBegun: false };
    this.#waiting.add(waiting);
    this.#advance();
    try {
      await withinCall(call, begun, () => tooMany(callSite, this.#leastWait()));
    } catch (error) {
      this.#waiting.delete(waiting);
      if (waiting.hasBegun) this.#end();
      throw afterChanges(call, error);
    }
  }

  /** Starts the requests whose turn it is. */
  readonly #advance = (): void => {
    clearTimeout(this.#timer);
    for (const waiting of this.#waiting) {
      const pause = this.#pause();
      if (pause > 0) {
        // If the pause is infinite, the next request starts when another one ends.
        if (pause < Infinity) this.#timer = setTimeout(this.#advance, Math.ceil(pause));
        return;
      }
      this.#waiting.delete(waiting);
      this.#begin();
      waiting.hasBegun = true;
      waiting.begin();
    }
  };

  #begin(): void {
    this.#underWay += 1;
    if (this.#count === 0) return;
    this.#begun.push(performance.now());
    if (this.#begun.length > this.#count) this.#begun.shift();
  }

  readonly #end = (): void => {
    this.#underWay -= 1;
    this.#advance();
  };

  /** Milliseconds until the next request may start; Infinity if another request must end first. */
  #pause(): number {
    if (this.#underWay >= this.#atOnce) return Infinity;
    const [oldest = -Infinity] = this.#begun;
    if (this.#begun.length < this.#count) return 0;
    return Math.max(0, oldest + this.#window - performance.now());
  }

  /** Minimum waiting time of an additional request, in milliseconds. */
  #leastWait(): number {
    if (this.#count === 0) return 0;
    const pause = this.#pause();
    return (pause === Infinity ? 0 : pause) + Math.floor(this.#waiting.size / this.#count) * this.#window;
  }
}

function tooMany(callSite: CallSite, milliseconds: number): ServiceError {
  const log = { ...callSite, reason: 'too many requests wait for their turn (limit)' };
  const retryAfter = Math.max(1, Math.ceil(milliseconds / 1000));
  return new ServiceError(503, 'Too many requests wait for the third-party API', { retryAfter, log });
}
