/** The one place that writes to disk. It removes and replaces only what an earlier build wrote, and says what it left alone. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { GeneratedFile } from './emit/file.js';

/** Lists what the last build wrote: path to SHA-256 of its text. */
const manifestPath = '.apikiln.json';

export interface Change {
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'removed';
}

export interface Outlook {
  /** What a build would change, sorted by path. */
  readonly changes: readonly Change[];
  /** Files in the way that no build wrote, or that were edited after the build wrote them. */
  readonly conflicts: readonly { readonly path: string; readonly reason: 'foreign' | 'edited' }[];
  /** Files that no build wrote and that are not in the way; folders of packages and builds are passed over. */
  readonly kept: readonly string[];
}

/** Compares the folder with what a build would write; writes nothing. */
export function compareWithFolder(folder: string, files: readonly GeneratedFile[]): Outlook {
  const before = readManifest(folder);
  const changes: Change[] = [];
  const conflicts: Outlook['conflicts'][number][] = [];
  const planned = new Map(files.map((file) => [file.path, file]));
  for (const { path, text, kind } of [...files, manifestFile(files)]) {
    const present = readText(join(folder, path));
    if (kind !== 'generated' && path !== manifestPath) continue;
    if (present === text) continue;
    changes.push({ path, kind: present === undefined ? 'added' : 'changed' });
    if (present === undefined || path === manifestPath) continue;
    const written = before.get(path);
    if (written === undefined) conflicts.push({ path, reason: 'foreign' });
    else if (written !== hash(present)) conflicts.push({ path, reason: 'edited' });
  }
  for (const [path, written] of before) {
    const present = planned.has(path) ? undefined : readText(join(folder, path));
    if (present === undefined) continue;
    if (written === hash(present)) changes.push({ path, kind: 'removed' });
    else conflicts.push({ path, reason: 'edited' });
  }
  const kept = filesBelow(folder).filter(
    (path) => !planned.has(path) && !before.has(path) && path !== manifestPath,
  );
  return { changes: changes.sort((a, b) => (a.path < b.path ? -1 : 1)), conflicts, kept };
}

export interface Written {
  readonly changes: readonly Change[];
  /** What became of the file with the configuration's secrets. */
  readonly secrets: 'written' | 'unchanged' | 'kept';
}

/** Writes the files. The caller has looked at the conflicts: files in the way are replaced. */
export function writeFiles(folder: string, files: readonly GeneratedFile[], outlook: Outlook): Written {
  const changed = new Set(outlook.changes.filter(({ kind }) => kind !== 'removed').map(({ path }) => path));
  for (const file of [...files, manifestFile(files)]) {
    const path = join(folder, file.path);
    const isMissing = file.kind === 'once' && readText(path) === undefined;
    if (changed.has(file.path) || isMissing) writeText(path, file.text, 0o644);
  }
  for (const { path, kind } of outlook.changes) {
    if (kind !== 'removed') continue;
    rmSync(join(folder, path));
    removeEmptyFolders(folder, dirname(path));
  }
  const secret = files.find((file) => file.kind === 'secret');
  return {
    changes: outlook.changes,
    secrets: secret === undefined ? 'unchanged' : writeSecrets(folder, secret),
  };
}

/**
 * The secrets are written with the hash of their own text in the first line: a file that its owner has edited
 * is recognized by it, and kept.
 */
function writeSecrets(folder: string, file: GeneratedFile): Written['secrets'] {
  const path = join(folder, file.path);
  const text = `${hashLine(file.text)}\n${file.text}`;
  const present = readText(path);
  if (present === text) return 'unchanged';
  if (present !== undefined) {
    const [first, ...others] = present.split('\n');
    if (first !== hashLine(others.join('\n'))) return 'kept';
  }
  writeText(path, text, 0o600);
  return 'written';
}

function hashLine(text: string): string {
  return `# Written by a build (${hash(text).slice(0, 16)}); once you have edited it, it is yours and no build changes it.`;
}

/** Through a neighbour and a rename, so that nobody ever sees half a file. */
function writeText(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const neighbour = `${path}.${process.pid}.tmp`;
  writeFileSync(neighbour, text, { mode });
  chmodSync(neighbour, mode);
  renameSync(neighbour, path);
}

function manifestFile(files: readonly GeneratedFile[]): GeneratedFile {
  const hashes = files
    .filter(({ kind }) => kind === 'generated')
    .map(({ path, text }): [string, string] => [path, hash(text)]);
  const note =
    'Files that the last build wrote, with the SHA-256 of each. A build replaces and removes only these.';
  const sorted = Object.fromEntries(hashes.sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    path: manifestPath,
    text: `${JSON.stringify({ note, files: sorted }, null, 2)}\n`,
    kind: 'generated',
  };
}

function readManifest(folder: string): Map<string, string> {
  const text = readText(join(folder, manifestPath));
  if (text === undefined) return new Map();
  try {
    const { files } = JSON.parse(text) as { files?: Record<string, unknown> };
    const entries = Object.entries(files ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    return new Map(entries.filter(([path]) => isInside(path)));
  } catch {
    return new Map();
  }
}

/** A path of a manifest that somebody edited must not lead out of the folder. */
function isInside(path: string): boolean {
  return (
    path !== '' && !path.startsWith('/') && !/^[A-Za-z]:/.test(path) && !path.split(/[\\/]/).includes('..')
  );
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Undefined when there is no such file. Line breaks are those of the generator, whatever a checkout made of them. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}

const passedOver = new Set(['node_modules', 'dist', '.git', 'package-lock.json', '.env']);

function filesBelow(folder: string, below = ''): string[] {
  let entries;
  try {
    entries = readdirSync(join(folder, below), { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  return entries
    .filter((entry) => !(below === '' && passedOver.has(entry.name)))
    .flatMap((entry) => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      return entry.isDirectory() ? filesBelow(folder, path) : [path];
    })
    .sort();
}

function removeEmptyFolders(folder: string, below: string): void {
  if (below === '.' || readdirSync(join(folder, below)).length > 0) return;
  rmdirSync(join(folder, below));
  removeEmptyFolders(folder, dirname(below));
}
