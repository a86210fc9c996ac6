/** The service's folder on disk. Links inside the folder are never followed. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../analyze/database/replace-file.js';
import { isArchive } from './archive.js';

/**
 * What exists at a path: nothing; a file with its text; something that a file can replace (a link); or an obstacle (a folder at the path,
 * or a non-folder above it).
 */
export type Present =
  { readonly kind: 'nothing' | 'other' | 'obstacle' } | { readonly kind: 'file'; readonly text: string };

/** Files are written here first and then moved. An interrupted build may leave this file. */
const temporaryPath = '.apikiln.tmp';

/** The process that writes to the folder creates this file, and removes it at the end. */
export const lockPath = '.apikiln.lock';

/** Files of package managers whose configuration and lock files the user commits. */
const packageManagerFiles = [
  ...['package-lock.json', '.npmrc', 'pnpm-lock.yaml', 'yarn.lock', '.pnp.cjs', '.pnp.loader.mjs'],
  ...['bun.lock', 'bun.lockb', 'bunfig.toml'],
];

const passedOver = new Set([
  ...['node_modules', '.yarn', 'dist', 'runtime/node_modules', 'runtime/dist'],
  ...[...packageManagerFiles, '.git', '.env', temporaryPath, lockPath],
]);

export class Folder {
  constructor(readonly path: string) {}

  look(path: string): Present {
    const above = this.#above(path);
    if (above !== 'folder') return { kind: above };
    const full = join(this.path, path);
    const entry = lstatSync(full, { throwIfNoEntry: false });
    if (entry === undefined) return { kind: 'nothing' };
    if (entry.isDirectory()) return { kind: 'obstacle' };
    if (!entry.isFile()) return { kind: 'other' };
    if (isArchive(path)) return { kind: 'file', text: readFileSync(full, 'latin1') };
    // Line breaks are normalized, because a checkout may convert them.
    return { kind: 'file', text: readFileSync(full, 'utf8').replaceAll('\r\n', '\n') };
  }

  /** The text of a file; undefined if the file does not exist. */
  text(path: string): string | undefined {
    const present = this.look(path);
    return present.kind === 'file' ? present.text : undefined;
  }

  /** Writes to a temporary file and renames it, so that a partial file is never visible. */
  write(path: string, text: string, mode = 0o644): void {
    const [target, temporary] = [join(this.path, path), join(this.path, temporaryPath)];
    mkdirSync(dirname(target), { recursive: true });
    rmSync(temporary, { force: true });
    writeFileSync(temporary, text, { mode, flag: 'wx', encoding: isArchive(path) ? 'latin1' : 'utf8' });
    chmodSync(temporary, mode);
    replaceFile(temporary, target);
  }

  /** Removes a file, and folders that become empty. */
  remove(path: string): void {
    rmSync(join(this.path, path), { force: true });
    for (let below = dirname(path); below !== '.'; below = dirname(below)) {
      if (readdirSync(join(this.path, below)).length > 0) return;
      rmdirSync(join(this.path, below));
    }
  }

  /** Removes files of package managers and builds from a folder, and the folder itself if it becomes empty. */
  removeBuilt(path: string): void {
    if (this.look(path).kind !== 'obstacle') return;
    for (const built of ['dist', 'node_modules'])
      rmSync(join(this.path, path, built), { recursive: true, force: true });
    if (readdirSync(join(this.path, path)).length === 0) rmdirSync(join(this.path, path));
  }

  /** All files, sorted, except files of packages, package managers and builds. */
  files(): string[] {
    if (lstatSync(this.path, { throwIfNoEntry: false }) === undefined) return [];
    return this.#filesBelow('').sort();
  }

  #filesBelow(below: string): string[] {
    const entries = readdirSync(join(this.path, below), { withFileTypes: true });
    return entries
      .filter((entry) => !passedOver.has(`${below}${entry.name}`))
      .flatMap((entry) =>
        entry.isDirectory() ? this.#filesBelow(`${below}${entry.name}/`) : [`${below}${entry.name}`],
      );
  }

  /** Whether all parent folders of the path exist and are real folders. */
  #above(path: string): 'folder' | 'nothing' | 'obstacle' {
    const names = path.split('/').slice(0, -1);
    for (let depth = 1; depth <= names.length; depth += 1) {
      const full = join(this.path, ...names.slice(0, depth));
      const entry = lstatSync(full, { throwIfNoEntry: false });
      if (entry === undefined) return 'nothing';
      if (!entry.isDirectory()) return 'obstacle';
    }
    return 'folder';
  }
}
