/** The states of files that somebody edits, and their changes. */
import { readdirSync, statSync, watch, type FSWatcher } from 'node:fs';
import { dirname, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The state of files by their absolute paths. A file that is not there has one too. */
export type FileStates = Map<string, string>;

/** How often to look if the system reports no changes: network disks, folders that are created again, links to other disks. */
const lookAgain = 1000;
/** An editor may write in several steps: the files are left alone until nothing has changed for so long. */
const settled = 10;
/** Some editors remove a file before they write it anew. */
const settledMissing = 250;
const missing = 'missing';

/**
 * Anything that another content changes: the time in nanoseconds, the size, and whether it is the same file at all; of a folder the names in
 * it, without hidden ones, which editors create while they save.
 */
export function stateOf(path: string): string {
  try {
    const stats = statSync(path, { bigint: true });
    if (stats.isDirectory()) return JSON.stringify(readdirSync(path).filter(isVisible).sort());
    const { mtimeNs, ctimeNs, size, ino } = stats;
    return [mtimeNs, ctimeNs, size, ino].join(' ');
  } catch {
    return missing;
  }
}

/** The line about changed files. */
export function changedLine(files: readonly string[], folder: string): string {
  return `${files.map((file) => relative(folder, file) || '.').join(', ')}: changed`;
}

function isVisible(name: string): boolean {
  return !name.startsWith('.');
}

/** Waits until a file has changed and all files have settled; returns the changed ones, empty if `stop` was first. */
export async function changed(states: FileStates, stop: AbortSignal): Promise<string[]> {
  const folders = new Folders(states);
  try {
    while (!stop.aborted) {
      // Also before the first event: changes since the files were read must not be missed.
      if (difference(states).length > 0) await settle(states);
      const paths = difference(states);
      if (paths.length > 0) return paths;
      await folders.event(stop);
    }
    return [];
  } finally {
    folders.close();
  }
}

function difference(states: FileStates): string[] {
  return [...states].flatMap(([path, state]) => (stateOf(path) === state ? [] : [path]));
}

async function settle(states: FileStates): Promise<void> {
  for (;;) {
    const now = new Map([...states.keys()].map((path) => [path, stateOf(path)]));
    const isGone = [...now].some(([path, state]) => state === missing && states.get(path) !== missing);
    await pause(isGone ? settledMissing : settled);
    if (difference(now).length === 0) return;
  }
}

/** The folders of the files: a file itself cannot be watched beyond its replacement by another one. */
class Folders {
  readonly #watchers: FSWatcher[] = [];
  #ring = (): void => undefined;

  constructor(states: FileStates) {
    for (const folder of new Set([...states.keys()].map((path) => dirname(path)))) this.#watch(folder);
  }

  /** Resolves when one of them has changed, when it is time to look again, and at `stop`. */
  event(stop: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#ring();
      }, lookAgain);
      this.#ring = () => {
        clearTimeout(timer);
        stop.removeEventListener('abort', this.#ring);
        resolve();
      };
      stop.addEventListener('abort', this.#ring);
    });
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, () => {
        this.#ring();
      });
      // Gone, or no more watchers to be had: looking again finds the changes.
      watcher.on('error', () => {
        watcher.close();
      });
      this.#watchers.push(watcher);
    } catch {
      // It is not there, or cannot be watched: looking again finds the changes.
    }
  }
}
