/**
 * Files in the user's cache folder that would otherwise be recomputed by the next run. If the folder is not usable, everything works
 * without the cache.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { postgresVersion } from './packed-postgres.js';
import { replaceFile } from './replace-file.js';

export class DiskCache {
  /** `folder` is undefined if nothing should be cached. */
  constructor(readonly folder: string | undefined) {}

  /** A cache in a folder of that name under `$XDG_CACHE_HOME` or `~/.cache`. */
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

  /** Writes a file atomically, because another process may access it at the same time. */
  write(name: string, content: Uint8Array | string): void {
    if (this.folder === undefined) return;
    const path = join(this.folder, name);
    const own = `${path}.${process.pid}`;
    try {
      mkdirSync(this.folder, { recursive: true });
      writeFileSync(own, content);
      replaceFile(own, path);
    } catch {
      remove(own);
    }
  }

  remove(name: string): void {
    if (this.folder !== undefined) remove(join(this.folder, name));
  }
}

/** Removes a file if possible. A file that cannot be removed is harmless. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The folder is not writable, or the path is not a file.
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
 * Identifies the version of the code that describes statements, including the embedded PostgreSQL, so that descriptions by other versions
 * are not reused. It is a hash of the files in this folder, which in a built compiler are the whole compiler. Reading them takes
 * milliseconds.
 */
export function describingCode(): string {
  code ??= `${codeIn(fileURLToPath(new URL('.', import.meta.url)))}, PGlite ${postgresVersion()}`;
  return code;
}

export function codeIn(folder: string): string {
  const names = readdirSync(folder).filter((name) => /\.[jt]s$/.test(name));
  return nameFor(...names.sort().flatMap((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
