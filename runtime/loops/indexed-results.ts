/** Stores the results of loop iterations by `index`, for VALUE_BY_INDEX. */
import type { Call } from '../handler/call.js';
import { textOf, type Json } from '../handler/json.js';
import { memoryOf } from '../handler/memory.js';
import { takeMemory } from './in-turns.js';
import { mapKey } from '../compare/map-key.js';

interface Entry<Result> {
  readonly result: Result | null;
  readonly position: readonly number[];
  /** The bytes counted for LIST_MEMORY. */
  readonly bytes: number;
}

/** Bytes of an entry, excluding key and result. */
const entrySize = 128;

/** Results by index as a string: 7 and "7" are the same, and arrays and objects are JSON. */
export class IndexedResults<Result extends Json = Json> {
  private readonly entries = new Map<string | number, Entry<Result>>();

  constructor(private readonly call: Call) {}

  /**
   * Stores a result. A null index is ignored. If two results have the same index, the later iteration wins. For concurrent iterations,
   * `position` determines their order: the positions in the enclosing loops, followed by the position in this loop. Throws a
   * ServiceError 500 if LIST_MEMORY is exceeded.
   */
  set(index: Json | undefined, result: Result | null, ...position: readonly number[]): void {
    if (index === null || index === undefined) return;
    const key = mapKey(textOf(index));
    const stored = this.entries.get(key);
    if (stored !== undefined && isEarlier(position, stored.position)) return;
    const bytes = entrySize + memoryOf(key) + memoryOf(result);
    takeMemory(this.call, 'results', bytes - (stored?.bytes ?? 0));
    this.entries.set(key, { result, position, bytes });
  }

  /** The result for an index; null if missing. */
  get(index: Json | undefined): Result | null {
    if (index === null || index === undefined) return null;
    return this.entries.get(mapKey(textOf(index)))?.result ?? null;
  }
}

function isEarlier(position: readonly number[], other: readonly number[]): boolean {
  for (const [level, index] of position.entries()) {
    const difference = index - (other[level] ?? index);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
