/** Files that a next run would only make again, in the user's cache folder: where it cannot be used, everything works without. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { postgresVersion } from './packed-postgres.js';

export class DiskCache {
  /** `folder`: undefined where nothing is to be kept. */
  constructor(readonly folder: string | undefined) {}

  /** Below `$XDG_CACHE_HOME` or `~/.cache`, in a folder of that name. */
  static ofUser(name: string, environment: Readonly<Record<string, string | undefined>>): DiskCache {
    const { XDG_CACHE_HOME: own } = environment;
    const cache = own === undefined || own === '' ? join(homedir(), '.cache') : own;
    return new DiskCache(join(cache, 'apikiln', name));
  }

  read(name: string): Buffer | undefined {
    if (this.folder === undefined) return undefined;
    try {
      return readFileSync(join(this.folder, name));
    } catch {
      return undefined;
    }
  }

  /** Another process may read or write it at the same time, so it appears as a whole. */
  write(name: string, content: Uint8Array | string): void {
    if (this.folder === undefined) return;
    const path = join(this.folder, name);
    const own = `${path}.${process.pid}`;
    try {
      mkdirSync(this.folder, { recursive: true });
      writeFileSync(own, content);
      renameSync(own, path);
    } catch {
      remove(own);
    }
  }

  remove(name: string): void {
    if (this.folder !== undefined) remove(join(this.folder, name));
  }
}

/** A file that cannot be removed stays: it is read as it is, or not at all. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The folder cannot be written, or there is something else in its place.
  }
}

/** A file name for data that depends only on these strings. */
export function nameFor(...texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text.length}:`).update(text);
  return hash.digest('hex').slice(0, 40);
}

let code: string | undefined;

/**
 * A file name for the version of the code that describes statements, including the embedded PostgreSQL: descriptions by other versions are
 * not reused. It is a hash of the files in this folder, which in a built compiler are the whole compiler; reading them takes milliseconds.
 */
export function describingCode(): string {
  code ??= `${codeIn(fileURLToPath(new URL('.', import.meta.url)))}, PGlite ${postgresVersion()}`;
  return code;
}

export function codeIn(folder: string): string {
  const names = readdirSync(folder).filter((name) => /\.[jt]s$/.test(name));
  return nameFor(...names.sort().flatMap((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
