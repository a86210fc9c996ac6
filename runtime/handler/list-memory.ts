/** The memory that the lists and the indexed results of one call take together: not more than LIST_MEMORY. */
import type { Call } from './call.js';
import type { Json } from './json.js';
import { loopLimit } from './loop-limit.js';
import { ServiceError } from './service-error.js';

/** In bytes. */
interface Taken {
  lists: number;
  results: number;
}

const takenBy = new WeakMap<Call, Taken>();

/** The bytes that the lists of the call take so far, without its indexed results. */
export function listMemory(call: Call): number {
  return takenBy.get(call)?.lists ?? 0;
}

/**
 * Counts so many bytes more, or fewer where they are negative. Throws a ServiceError (500) where lists and results take more than
 * LIST_MEMORY.
 */
export function takeMemory(call: Call, kind: keyof Taken, bytes: number): void {
  let taken = takenBy.get(call);
  if (taken === undefined) takenBy.set(call, (taken = { lists: 0, results: 0 }));
  taken[kind] += bytes;
  if (taken.lists + taken.results <= loopLimit.memory) return;
  const what = kind === 'lists' ? 'lists' : 'indexed results';
  const log = { reason: `the ${what} of a call take more than ${loopLimit.memory} bytes (LIST_MEMORY)` };
  throw new ServiceError(500, 'The response is too large', { log });
}

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
