/** A map of a large file that is parsed when its entries are first accessed. */
import type { Span } from '../../source.js';
import type { Entry, MapNode } from './node.js';

export class LaterMap implements MapNode {
  readonly kind = 'map';
  #entries: readonly Entry[] | undefined;
  #read: (() => readonly Entry[]) | undefined;

  constructor(
    readonly span: Span,
    read: () => readonly Entry[],
  ) {
    this.#read = read;
  }

  get entries(): readonly Entry[] {
    this.#entries ??= this.#read?.() ?? [];
    this.#read = undefined;
    return this.#entries;
  }
}
