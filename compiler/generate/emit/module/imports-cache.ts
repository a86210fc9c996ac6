/** Import declarations of a build: each list of imports is written once, because most operations of a service import the same. */
import type { Worker } from 'node:worker_threads';
import type { CompilationCache } from '../compilation-cache.js';
import type { ImportDeclaration } from './import-text.js';
import { askThread, startThread } from './thread.js';

export class ImportsCache {
  #thread: Worker | undefined;

  constructor(private readonly written: CompilationCache['imports']) {}

  /** Loads ts-morph in a thread, while the configuration is read and checked: it takes as long as that does for ten operations. */
  start(): void {
    this.#thread = startThread('import-thread');
    this.#thread?.unref();
  }

  stop(): void {
    void this.#thread?.terminate();
    this.#thread = undefined;
  }

  /** The texts of the lists. */
  async texts(lists: readonly (readonly ImportDeclaration[])[]): Promise<string[]> {
    const keys = lists.map((imports) => JSON.stringify(imports));
    const unknown = new Map(lists.map((imports, index) => [keys[index] ?? '', imports]));
    for (const key of unknown.keys()) if (this.written.get(key) !== undefined) unknown.delete(key);
    if (unknown.size > 0) await this.#write(unknown);
    return keys.map((key) => this.written.get(key) ?? '');
  }

  async #write(lists: ReadonlyMap<string, readonly ImportDeclaration[]>): Promise<void> {
    const missing = [...lists.values()];
    const texts = this.#thread
      ? await askThread<string[]>(this.#thread, missing)
      : (await import('./import-text.js')).importTexts(missing);
    // Its memory is of use to what follows, and later lists are few.
    this.stop();
    for (const [index, key] of [...lists.keys()].entries()) this.written.set(key, texts[index] ?? '');
  }
}
