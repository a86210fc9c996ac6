/** Part of `npm run build`: writes a file atomically, because a running compiler, or `npm pack`, may be reading it. */
import { Buffer } from 'node:buffer';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Files that are being written, outside of the folders that `npm pack` reads. */
const fresh = fileURLToPath(new URL('../dist/.new', import.meta.url));

/** Writes the file unless it has this content already. */
export function replaceFile(path, content) {
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(content))) return;
  const written = newPath(path);
  writeFileSync(written, content);
  moveTo(written, path);
}

/** The temporary path of a file's content, before it is renamed. */
export function newPath(path) {
  mkdirSync(fresh, { recursive: true });
  return join(fresh, basename(path));
}

/** Moves a file that was written at `newPath` to its place. */
export function moveTo(written, path) {
  mkdirSync(dirname(path), { recursive: true });
  renameSync(written, path);
}
