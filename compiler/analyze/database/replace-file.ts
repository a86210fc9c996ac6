/** Replaces a file atomically, here because both the cache of databases and builds need it. */
import { renameSync } from 'node:fs';

/** Attempts to rename a file on Windows, and milliseconds between two of them. */
const attempts = 50;
const pause = 20;

/**
 * Renames a file, which replaces the file of that name. On Windows, this fails as long as another program has one of the two files open, such
 * as an editor or a virus scanner: it is tried for a second.
 */
export function replaceFile(
  from: string,
  to: string,
  rename: (from: string, to: string) => void = renameSync,
  platform: NodeJS.Platform = process.platform,
): void {
  for (let left = platform === 'win32' ? attempts : 1; ; left -= 1) {
    try {
      rename(from, to);
      return;
    } catch (error) {
      if (left <= 1 || !isInUse(error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
    }
  }
}

function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^E(?:PERM|ACCES|BUSY)$/.test(String(error.code));
}
