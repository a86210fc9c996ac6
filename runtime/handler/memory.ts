/** Limits the memory that calls use until they end: for each call, for each kind of use, and for all of the process together. */
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { Call } from './call.js';
import type { Json, Row } from './json.js';
import { ServiceError } from './reply.js';

/** LOOP_LIMIT and LIST_MEMORY. They are set once when the service starts. */
export const loopLimit = {
  /** Elements of a LIST. */
  elements: 100_000,
  /** Bytes of the lists that one call builds. */
  memory: 64 * 1024 * 1024,
};

/** An estimate of the value's bytes in memory, or of its JSON if that is more (a repeated string is in memory only once). */
export function memoryOf(value: Json): number {
  let sum = 0;
  // No recursion: a value from outside may be nested too deeply.
  const rest: Json[] = [value];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next === 'string') sum += 16 + next.length;
    else if (typeof next !== 'object' || next === null) sum += 8;
    else if (Array.isArray(next)) {
      sum += 64;
      for (const element of next) rest.push(element);
    } else {
      sum += 64;
      for (const name in next) {
        sum += 16;
        rest.push(next[name] ?? null);
      }
    }
  }
  return sum;
}

/** A response that waits for its client. */
interface WaitingResponse {
  readonly bytes: number;
  readonly since: number;
  /** Closes the connection. */
  readonly drop: () => void;
}

/** Milliseconds after which a waiting response may be dropped to make room for other responses, and for anything else. */
const shortTime = 2000;
const longTime = 10_000;

/** Maximum bytes of waiting responses, unless one response alone is larger. */
const waitingLimit = 256 * 1024 * 1024;

/** The part of the other memory that requests may hold. The rest is for copies, garbage and buffers of the system. */
const share = 0.6;

/** Bytes of the process itself: code, and the heap of an idle service. */
const idle = 96 * 1024 * 1024;

/** The memory that all requests of the process hold: uploads, bodies, results, and responses that wait for their clients. */
export class MemoryBudget {
  /** Bytes. */
  limit = Infinity;
  taken = 0;
  /** The oldest first. */
  private readonly waiting = new Map<object, WaitingResponse>();
  private waitingBytes = 0;

  /** Sets the limit from the memory of the container or the machine, which this number of processes shares. */
  follow(processes: number): void {
    const constrained = process.constrainedMemory();
    const total = Math.min(constrained > 0 ? constrained : Infinity, totalmem());
    // The primary process takes its part, too.
    const own = (processes === 1 ? total : total - idle) / processes;
    this.limit = Math.max(own / 8, (own - idle) * share);
  }

  /**
   * Throws a ServiceError 503 if not enough memory is left, even without the responses that have waited for `time` milliseconds. A call
   * that `mayExceed` has changed something, so it must not be refused as if nothing had happened: it can use a reserve.
   */
  take(bytes: number, mayExceed = false, time = longTime): void {
    const limit = mayExceed ? this.limit * 1.25 : this.limit;
    if (this.taken + bytes > limit) {
      this.dropWaiting(this.taken + bytes - limit, time);
      if (this.taken + bytes > limit) throw noMemory(limit);
    }
    this.taken += bytes;
  }

  give(bytes: number): void {
    this.taken -= bytes;
  }

  /** Counts a response until `sent`; one alone may have any size. Throws a ServiceError 503. */
  wait(response: object, bytes: number, drop: () => void, mayExceed: boolean): void {
    const excess = this.waitingBytes + bytes - waitingLimit;
    if (excess > 0) this.dropWaiting(excess, shortTime);
    if (this.waiting.size > 0 && this.waitingBytes + bytes > waitingLimit && !mayExceed) {
      const log = { reason: `responses of ${waitingLimit} bytes wait for their clients already` };
      throw new ServiceError(503, 'Too many large responses at a time', { retryAfter: 2, log });
    }
    if (this.taken === 0) this.taken = bytes;
    else this.take(bytes, mayExceed, shortTime);
    this.waitingBytes += bytes;
    this.waiting.set(response, { bytes, since: performance.now(), drop });
  }

  sent(response: object): void {
    const { bytes } = this.waiting.get(response) ?? { bytes: 0 };
    this.give(bytes);
    this.waitingBytes -= bytes;
    this.waiting.delete(response);
  }

  /** Closes the connections that have waited longest for their clients, and at least `time` milliseconds, until `bytes` are free. */
  private dropWaiting(bytes: number, time: number): void {
    const now = performance.now();
    let freed = 0;
    for (const [response, { bytes: own, since, drop }] of this.waiting) {
      if (freed >= bytes || now - since < time) return;
      freed += own;
      this.sent(response);
      drop();
    }
  }
}

export const memoryBudget = new MemoryBudget();

function noMemory(limit: number): ServiceError {
  const log = { reason: `all requests together take more than ${Math.round(limit)} bytes of memory` };
  return new ServiceError(503, 'Too many large requests at a time', { retryAfter: 2, log });
}

/** A limit for one kind of memory of all calls together, within the budget. */
export class MemoryBound {
  /** Bytes. */
  taken = 0;

  /** `refusal` creates the error of a call that would exceed the limit (bytes). */
  constructor(readonly refusal: (limit: number) => ServiceError) {}
}

/** The share of one call. */
export class MemoryShare {
  #own = 0;

  constructor(
    private readonly bound: MemoryBound,
    /** Bytes. */
    private readonly limit: number,
    /** Whether a call gets any amount while no other call holds memory. */
    private readonly isGenerous: boolean,
  ) {}

  /** Throws the refusal if there is not enough left. `mayExceed`: see `MemoryBudget`. */
  take(bytes: number, mayExceed = false): void {
    const { bound } = this;
    const isAlone = bound.taken === this.#own;
    if (bound.taken + bytes > this.limit && !(this.isGenerous && isAlone)) throw bound.refusal(this.limit);
    // The memory of a call that runs alone depends on no setting.
    if (this.isGenerous && memoryBudget.taken === this.#own) memoryBudget.taken += bytes;
    else memoryBudget.take(bytes, mayExceed);
    bound.taken += bytes;
    this.#own += bytes;
  }

  /** Takes the bytes that are missing to the given size, and throws as `take` does. */
  growTo(bytes: number, mayExceed = false): void {
    if (bytes > this.#own) this.take(bytes - this.#own, mayExceed);
  }

  /** Releases all of it. */
  release(): void {
    if (this.#own === 0) return;
    this.bound.taken -= this.#own;
    memoryBudget.give(this.#own);
    this.#own = 0;
  }
}

/** A part of the heap (`--max-old-space-size`). The rest is for data that is being received and written. */
const heldLimit = getHeapStatistics().heap_size_limit / 4;

const held = new MemoryBound((limit) => {
  const log = { reason: `the results of all requests take more than ${limit} bytes, a quarter of the heap` };
  return new ServiceError(503, 'Too many large results at a time', { retryAfter: 1, log });
});

/** The memory of a request's results, until its response. */
export function shareOfResults(): MemoryShare {
  return new MemoryShare(held, heldLimit, true);
}

/** Outside of the heap. One result, body or file has limits elsewhere. */
const copies = new MemoryBound(noMemory);

/** The memory of a result or body while it arrives, and of copies of files. */
export function shareOfCopies(): MemoryShare {
  return new MemoryShare(copies, Infinity, true);
}

/** Number of random rows that are measured, as an estimate for all rows. */
const sample = 16;
/** Bytes. Smaller values are not counted. */
export const uncounted = 64 * 1024;

/** Counts a large result. Throws a ServiceError (503) if the process holds too much already. */
export function holdRows(call: Call, rows: readonly Row[]): void {
  const root = call.root ?? call;
  if (root.hold === undefined) return;
  const step = Math.ceil(rows.length / sample);
  let bytes = 0;
  for (let index = Math.floor(Math.random() * step); index < rows.length; index += step)
    bytes += step * memoryOf(rows[index] ?? null);
  if (bytes >= uncounted) root.hold(bytes);
}
