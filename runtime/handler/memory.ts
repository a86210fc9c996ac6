/** Limits the memory that calls hold until they end: for each call, for each kind of use, and for the whole process. */
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { Call } from './call.js';
import type { Json, Row } from './json.js';
import { ServiceError } from './reply.js';

/** LOOP_LIMIT and LIST_MEMORY, set once when the service starts. */
export const loopLimit = {
  /** Maximum number of elements of a LIST. */
  elements: 100_000,
  /** Maximum bytes of the lists built by one call. */
  memory: 64 * 1024 * 1024,
};

/** An estimate of the bytes of the value in memory, or of its JSON if that is larger (a repeated string is only stored once). */
export function memoryOf(value: Json): number {
  let sum = 0;
  // Recursion could overflow the stack, because external values may be nested deeply.
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

/** A response that the client has not yet received. */
interface WaitingResponse {
  readonly bytes: number;
  readonly since: number;
  /** Closes the connection. */
  readonly drop: () => void;
}

/** Milliseconds after which a waiting response may be dropped to make room for other responses (short) or other uses (long). */
const shortTime = 2000;
const longTime = 10_000;

/** Maximum bytes of all waiting responses. A single response may be larger. */
const waitingLimit = 256 * 1024 * 1024;

/** The share of the memory, without the idle process, that requests may hold. The rest is for copies, garbage and system buffers. */
const share = 0.6;

/** Bytes of the process itself: code, and the heap of an idle service. */
const idle = 96 * 1024 * 1024;

/** The memory held by all requests of the process: uploads, bodies, results, and responses that wait for their clients. */
export class MemoryBudget {
  /** In bytes. */
  limit = Infinity;
  taken = 0;
  /** Waiting responses, oldest first. */
  private readonly waiting = new Map<object, WaitingResponse>();
  private waitingBytes = 0;

  /** Sets the limit from the memory of the container or machine, shared by the given number of processes. */
  follow(processes: number): void {
    const constrained = process.constrainedMemory();
    const total = Math.min(constrained > 0 ? constrained : Infinity, totalmem());
    // The primary process also needs memory.
    const own = (processes === 1 ? total : total - idle) / processes;
    this.limit = Math.max(own / 8, (own - idle) * share);
  }

  /**
   * Counts bytes as held. If memory is short, drops responses that have waited for at least `time` milliseconds; if that is not enough,
   * throws a ServiceError 503. With `mayExceed`, a reserve is used: the call has already changed data, so rejecting it would be
   * misleading.
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

  /** Counts a response until `sent` is called; a single response may have any size. Throws a ServiceError 503. */
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

  /** Closes the connections whose responses have waited longest, and for at least `time` milliseconds, until `bytes` are free. */
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

/** A limit within the budget, for one kind of memory used by all calls together. */
export class MemoryBound {
  /** In bytes. */
  taken = 0;

  /** `refusal` creates the error for a call that would exceed the limit, in bytes. */
  constructor(readonly refusal: (limit: number) => ServiceError) {}
}

/** The share of one call in a memory bound. */
export class MemoryShare {
  #own = 0;

  constructor(
    private readonly bound: MemoryBound,
    /** In bytes. */
    private readonly limit: number,
    /** Whether a call may exceed the memory budget while no other call holds memory. */
    private readonly isGenerous: boolean,
  ) {}

  /** Counts bytes as held. Throws the refusal if not enough memory is left. For `mayExceed`, see `MemoryBudget`. */
  take(bytes: number, mayExceed = false): void {
    const { bound } = this;
    const isAlone = bound.taken === this.#own;
    if (bound.taken + bytes > this.limit && !(this.isGenerous && isAlone)) throw bound.refusal(this.limit);
    // The memory available to a call that runs alone does not depend on settings.
    if (this.isGenerous && memoryBudget.taken === this.#own) memoryBudget.taken += bytes;
    else memoryBudget.take(bytes, mayExceed);
    bound.taken += bytes;
    this.#own += bytes;
  }

  /** Increases the share to the given size. Throws the errors of `take`. */
  growTo(bytes: number, mayExceed = false): void {
    if (bytes > this.#own) this.take(bytes - this.#own, mayExceed);
  }

  /** Releases the whole share. */
  release(): void {
    if (this.#own === 0) return;
    this.bound.taken -= this.#own;
    memoryBudget.give(this.#own);
    this.#own = 0;
  }
}

/** A quarter of the heap (`--max-old-space-size`). The rest is for data that is being received and written. */
const heldLimit = getHeapStatistics().heap_size_limit / 4;

const held = new MemoryBound((limit) => {
  const log = { reason: `the results of all requests take more than ${limit} bytes, a quarter of the heap` };
  return new ServiceError(503, 'Too many large results at a time', { retryAfter: 1, log });
});

/** The memory for results of a request, held until its response. */
export function shareOfResults(): MemoryShare {
  return new MemoryShare(held, heldLimit, true);
}

/** Memory outside the heap. Single results, bodies and files have other limits. */
const copies = new MemoryBound(noMemory);

/** The memory for a result or body while it is being received, and for copies of files. */
export function shareOfCopies(): MemoryShare {
  return new MemoryShare(copies, Infinity, true);
}

/** Number of random rows that are measured to estimate the size of all rows. */
const sample = 16;
/** In bytes. Smaller values are not counted. */
export const uncounted = 64 * 1024;

/** Counts a large result. Throws a ServiceError 503 if the process already holds too much memory. */
export function holdRows(call: Call, rows: readonly Row[]): void {
  const root = call.root ?? call;
  if (root.hold === undefined) return;
  const step = Math.ceil(rows.length / sample);
  let bytes = 0;
  for (let index = Math.floor(Math.random() * step); index < rows.length; index += step)
    bytes += step * memoryOf(rows[index] ?? null);
  if (bytes >= uncounted) root.hold(bytes);
}
