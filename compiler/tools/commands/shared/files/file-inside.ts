/** Whether a file named in a configuration or test file is in its folder, after resolving links. */
import { existsSync, lstatSync, realpathSync, statSync, type Stats } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import { CommandError, exitStatus } from '../output/exit-status.js';
import { reason } from './read-text.js';

/** The file, or the reason why it is not read, phrased to follow its name. */
export type FileInside =
  | { readonly real: string; readonly stats: Stats }
  | { readonly problem: string; readonly kind: 'missing' | 'unreadable' | 'outside' | 'hidden' };

/** `what` describes `folder`: the folder of the configuration or of the test file. */
export function fileInside(path: string, folder: string, what: string): FileInside {
  let stats: Stats;
  let real: string;
  try {
    stats = statSync(path);
    real = realPath(path);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing
      ? { problem: 'is a broken link', kind: 'missing' }
      : { problem: `cannot be read: ${reason(error)}`, kind: 'unreadable' };
  }
  const root = realPath(folder);
  if (!isBelow(real, root)) return { problem: `is a link to a path outside of ${what}`, kind: 'outside' };
  if (relative(root, real).split(sep).some(isHidden))
    return { problem: 'is a link to a hidden file', kind: 'hidden' };
  return { real, stats };
}

/**
 * For files found by name next to the configuration: a user who runs a command in a foreign folder has not chosen them. Throws a
 * CommandError for a link to a file outside the folder, or to a missing file that a command could create. `option` is the option that names
 * such a file.
 */
export function refuseOutside(path: string, shown: string, config: string, option?: string): void {
  const folder = dirname(config);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  if (existsSync(path) && isBelow(realPath(path), realPath(folder))) return;
  const hint =
    option === undefined ? 'Replace it by a copy.' : `Replace it by a copy, or name it with ${option}.`;
  throw new CommandError(
    exitStatus.environment,
    `${shown} is a link to a path outside of the folder of the configuration. ${hint}`,
  );
}

/** The path of a file without links, in the letter case of the file system: paths with another letter case name the same file on Windows. */
export function realPath(path: string): string {
  return realpathSync.native(path);
}

/** Both are real paths. */
export function isBelow(real: string, root: string): boolean {
  return real.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Files that Kubernetes mounts from a ConfigMap are links to files in `..2026_11_26_05_00_00.1`, which does not count as hidden. */
export function isHidden(name: string): boolean {
  return name.startsWith('.') && !name.startsWith('..');
}

/** Also true for links, and for different spellings on case-insensitive file systems. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev;
}
