/** What the iterations of a loop store under `index`, for VALUE_BY_INDEX (decisions 3.8). */
import type { Json } from './json.js';
import { mapKey } from './map-key.js';
import { textOf } from './text.js';

interface Entry {
  readonly result: Json;
  readonly position: readonly number[];
}

/** Results by the text of their index: 7 and "7" are one; arrays and objects go by their JSON text. */
export class IndexedResults {
  private readonly entries = new Map<string | number, Entry>();

  /**
   * Stores a result; null as an index stores nothing. Of two results with one index, that of the later iteration stays.
   * Where iterations run at the same time, `position` says which one is later: its place in the loop, behind the places in
   * the loops around it.
   */
  set(index: Json | undefined, result: Json, ...position: readonly number[]): void {
    if (index === null || index === undefined) return;
    const key = mapKey(textOf(index));
    const stored = this.entries.get(key);
    if (stored === undefined || !isEarlier(position, stored.position))
      this.entries.set(key, { result, position });
  }

  /** The result under that index; null when there is none. */
  get(index: Json | undefined): Json {
    if (index === null || index === undefined) return null;
    return this.entries.get(mapKey(textOf(index)))?.result ?? null;
  }
}

function isEarlier(position: readonly number[], other: readonly number[]): boolean {
  for (const [level, place] of position.entries()) {
    const difference = place - (other[level] ?? place);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
