/** Limits the memory that calls use until they end: for each call, and for all calls of the process together. */
import { getHeapStatistics } from 'node:v8';
import type { Call } from './call.js';
import type { Json, Row } from './json.js';
import { ServiceError } from './reply.js';

/** LOOP_LIMIT and LIST_MEMORY, set once when the service starts, where lists find them without a look at the environment. */
export const loopLimit = {
  /** Elements of a LIST. */
  elements: 100_000,
  /** Bytes of the lists that one call builds. */
  memory: 64 * 1024 * 1024,
};

/** About as many bytes as the value takes, or its JSON where that is more: a string that occurs in many places is there once. */
export function memoryOf(value: Json): number {
  let sum = 0;
  // A value of others may be nested deeper than functions can be.
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

/** A bound for what the calls of a process take together. */
export class MemoryBound {
  /** Bytes. */
  taken = 0;

  /** `refusal` makes the error of a call that would go beyond the bound, in bytes. */
  constructor(readonly refusal: (limit: number) => ServiceError) {}
}

/** What one call takes of it. */
export class MemoryShare {
  #own = 0;

  constructor(
    private readonly bound: MemoryBound,
    /** Bytes. */
    private readonly limit: number,
    /** True where a call that is alone gets what it asks for in any case. */
    private readonly isGenerous: boolean,
  ) {}

  /** Throws the refusal when others have left not so much. */
  take(bytes: number): void {
    const isAlone = this.bound.taken === this.#own;
    if (this.bound.taken + bytes > this.limit && !(this.isGenerous && isAlone))
      throw this.bound.refusal(this.limit);
    this.bound.taken += bytes;
    this.#own += bytes;
  }

  /** Gives all of it back. */
  release(): void {
    this.bound.taken -= this.#own;
    this.#own = 0;
  }
}

/** A part of the heap (`--max-old-space-size`) that leaves room for what is being received and written. */
const heldLimit = getHeapStatistics().heap_size_limit / 4;

const held = new MemoryBound((limit) => {
  const log = { reason: `the results of all requests take more than ${limit} bytes, a quarter of the heap` };
  return new ServiceError(503, 'Too many large results at a time', { retryAfter: 1, log });
});

/** What the results of a request take until it is answered. */
export function shareOfResults(): MemoryShare {
  return new MemoryShare(held, heldLimit, true);
}

/** Rows that are looked at, chosen at random; the others are taken to be like them. */
const sample = 16;
/** Bytes; smaller results are not counted. */
const small = 64 * 1024;

/** Counts a large result among what the process keeps. Throws a ServiceError (503) where it keeps too much already. */
export function holdRows(call: Call, rows: readonly Row[]): void {
  const root = call.root ?? call;
  if (root.hold === undefined) return;
  const step = Math.ceil(rows.length / sample);
  let bytes = 0;
  for (let index = Math.floor(Math.random() * step); index < rows.length; index += step)
    bytes += step * memoryOf(rows[index] ?? null);
  if (bytes >= small) root.hold(bytes);
}
