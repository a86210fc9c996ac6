/** Limits the memory that calls use until they end: for each call, and for all calls of the process together. */
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

/** A limit for the memory of all calls of a process together. */
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

  /** Throws the refusal if there is not enough left. */
  take(bytes: number): void {
    const isAlone = this.bound.taken === this.#own;
    if (this.bound.taken + bytes > this.limit && !(this.isGenerous && isAlone))
      throw this.bound.refusal(this.limit);
    this.bound.taken += bytes;
    this.#own += bytes;
  }

  /** Releases all of it. */
  release(): void {
    this.bound.taken -= this.#own;
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

/** Number of random rows that are measured, as an estimate for all rows. */
const sample = 16;
/** Bytes; smaller results are not counted. */
const small = 64 * 1024;

/** Counts a large result. Throws a ServiceError (503) if the process holds too much already. */
export function holdRows(call: Call, rows: readonly Row[]): void {
  const root = call.root ?? call;
  if (root.hold === undefined) return;
  const step = Math.ceil(rows.length / sample);
  let bytes = 0;
  for (let index = Math.floor(Math.random() * step); index < rows.length; index += step)
    bytes += step * memoryOf(rows[index] ?? null);
  if (bytes >= small) root.hold(bytes);
}
