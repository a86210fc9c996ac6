/** States of edited files, and their changes. */
import { readdirSync, statSync, watch, type FSWatcher } from 'node:fs';
import { dirname, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** File states by absolute path, including missing files. */
export type FileStates = Map<string, string>;

/** Milliseconds between checks in case the system does not report changes: network disks, recreated folders, links to other disks. */
const lookAgain = 1000;
/** Milliseconds without changes after which files count as settled, because editors may save in several steps. */
const settled = 10;
/** Milliseconds for missing files: some editors delete a file before they rewrite it. */
const settledMissing = 250;
const missing = 'missing';

/**
 * Changes whenever the content does: time in nanoseconds, size, and file identity; for a folder, the names in it without hidden files,
 * which editors create while saving.
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

/** The log line about changed files. */
export function changedLine(files: readonly string[], folder: string): string {
  return `${files.map((file) => relative(folder, file) || '.').join(', ')}: changed`;
}

function isVisible(name: string): boolean {
  return !name.startsWith('.');
}

/** Waits until a file has changed and all files have settled; returns the changed paths, empty if `stop` came first. */
export async function changed(states: FileStates, stop: AbortSignal): Promise<string[]> {
  const folders = new Folders(states);
  try {
    while (!stop.aborted) {
      // Checked before the first event, so that changes since the files were read are not missed.
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

/** The folders of the files: watching a file itself ends when the file is replaced. */
class Folders {
  readonly #watchers: FSWatcher[] = [];
  #ring = (): void => undefined;

  constructor(states: FileStates) {
    for (const folder of new Set([...states.keys()].map((path) => dirname(path)))) this.#watch(folder);
  }

  /** Resolves after a change, when it is time to check again, and on `stop`. */
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
      // The folder was removed or no more watchers are available; the next check finds its changes.
      watcher.on('error', () => {
        watcher.close();
      });
      this.#watchers.push(watcher);
    } catch {
      // The folder does not exist or cannot be watched; the next check finds its changes.
    }
  }
}
