/** In place of `compiler/analyze/database/disk-cache.ts`: a page has no folder for a cache. */
import { sha256 } from '../../../compiler/generate/plan/names/sha256.js';

export class DiskCache {
  readonly folder = undefined;

  static ofUser(): DiskCache {
    return new DiskCache();
  }

  read(): undefined {
    return undefined;
  }

  write(): void {
    // Open schemas are kept in memory.
  }

  remove(): void {
    // Nothing was written.
  }
}

export function nameFor(...texts: readonly string[]): string {
  return sha256(texts.map((text) => `${text.length}:${text}`).join('')).slice(0, 40);
}

export function describingCode(): string {
  return 'playground';
}
