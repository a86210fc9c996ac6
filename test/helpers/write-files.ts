/** Writes the files of a service into a folder, as a build does. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { isArchive } from '../../compiler/generate/write/archive.js';

/** Overwrites existing files, and leaves other files unchanged. */
export function writeFiles(folder: string, files: readonly Pick<GeneratedFile, 'path' | 'text'>[]): void {
  for (const { path, text } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, isArchive(path) ? 'latin1' : 'utf8');
  }
}
