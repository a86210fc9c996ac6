/** Compares a service's folder with the output of a build, without writing. */
import type { JsonMap } from '../../read/json.js';
import type { GeneratedFile } from '../emit/module/file.js';
import { Folder, type Present } from './folder.js';
import {
  isAsWritten,
  manifestOf,
  manifestPath,
  manifestText,
  packageFieldsOf,
  readManifest,
  readPackageFields,
  type Manifest,
} from './manifest.js';
import { isDamaged, withOwnPackages, type OwnPackages } from './own-packages.js';

export interface Change {
  /** Path relative to the service's folder. */
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'removed';
}

/** A file that a build would write or remove, but that differs from the output of earlier builds. */
export interface Conflict {
  readonly path: string;
  /**
   * foreign: not written by a build; edited: changed since the build; damaged: unreadable user additions, which would be lost; obstacle: a
   * folder or similar at the path or above it, which builds do not replace.
   */
  readonly reason: 'foreign' | 'edited' | 'damaged' | 'obstacle';
}

export interface WritePlan {
  /** Changes that a build would make, sorted by path; the secrets file is omitted. */
  readonly changes: readonly Change[];
  readonly conflicts: readonly Conflict[];
  /** Files not written by a build that are not in conflict. Files of packages and builds, and files loaded by the service, are omitted. */
  readonly kept: readonly string[];
  /** Files in the folder written by earlier builds. */
  readonly before: Manifest;
  /** The fields of package.json that the last build wrote; undefined for folders of earlier versions. */
  readonly lastFields: JsonMap | undefined;
  /** The files to write to this folder, including packages added by the user. */
  readonly here: OwnPackages;
}

/** Paths of the files written by the last build. Throws a file system error if the folder cannot be read. */
export function writtenPaths(path: string): string[] {
  return [...readManifest(new Folder(path).text(manifestPath)).keys()];
}

/** Throws a file system error if the folder cannot be read. */
export function compareWithFolder(path: string, files: readonly GeneratedFile[]): WritePlan {
  const folder = new Folder(path);
  const last = folder.text(manifestPath);
  const [before, lastFields] = [readManifest(last), readPackageFields(last)];
  const planned = new Set([...files.map((file) => file.path), manifestPath]);
  const text = manifestText(manifestOf(files), packageFieldsOf(files));
  const here = withOwnPackages(folder, files, before, lastFields);
  const compared = [
    ...here.files.map((file) => compareFile(folder, file, before)),
    compareFile(folder, { path: manifestPath, text, kind: 'generated' }, undefined),
    ...[...before].flatMap(([old, hashes]) => (planned.has(old) ? [] : [compareOld(folder, old, hashes)])),
  ];
  return {
    changes: compared.flatMap(({ change }) => change ?? []).sort((a, b) => (a.path < b.path ? -1 : 1)),
    conflicts: compared.flatMap(({ conflict }) => conflict ?? []),
    kept: folder.files().filter((file) => !planned.has(file) && !before.has(file) && !isOwnModule(file)),
    before,
    lastFields,
    here,
  };
}

/** Modules written by the user that `src/main.ts` or operations load. */
function isOwnModule(path: string): boolean {
  return path === 'src/app.ts' || path === 'src/middleware.ts' || path.startsWith('src/code/');
}

interface Compared {
  readonly change?: Change;
  readonly conflict?: Conflict;
}

/** `before` is undefined for files that builds always replace. */
function compareFile(
  folder: Folder,
  { path, text, kind }: GeneratedFile,
  before: Manifest | undefined,
): Compared {
  const present = folder.look(path);
  if (present.kind === 'obstacle') return { conflict: { path, reason: 'obstacle' } };
  if (kind === 'secret' || (present.kind === 'file' && present.text === text)) return {};
  if (present.kind === 'nothing') return { change: { path, kind: 'added' } };
  if (kind === 'once') return isOfCopiedRuntime(path, present) ? { change: { path, kind: 'changed' } } : {};
  const change: Change = { path, kind: 'changed' };
  if (before === undefined) return { change };
  // A link is replaced by a file, and what its target had is not merged.
  if (kind === 'packages' && before.has('package.json') && present.kind === 'file')
    return isDamaged(path, present.text) ? { change, conflict: { path, reason: 'damaged' } } : { change };
  const hashes = before.get(path);
  if (hashes === undefined) return { change, conflict: { path, reason: 'foreign' } };
  const isOurs = present.kind === 'file' && isAsWritten(path, present.text, hashes);
  return isOurs ? { change } : { change, conflict: { path, reason: 'edited' } };
}

/** Whether a file that a build writes once is unedited, and names the runtime that earlier versions copied into the service. */
function isOfCopiedRuntime(path: string, present: Present): boolean {
  return (
    path === 'pnpm-workspace.yaml' && present.kind === 'file' && present.text === workspaceOfCopiedRuntime
  );
}

/** pnpm-workspace.yaml as written by versions that copied the runtime into the service. */
const workspaceOfCopiedRuntime = `# Only for pnpm: the runtime is a package inside this service. This file is yours from the first build on.
packages:
  - runtime
allowBuilds:
  '@scarf/scarf': false
`;

/** Compares a file that an earlier build wrote and this build would remove. The target of a link was not written by a build. */
function compareOld(folder: Folder, path: string, hashes: readonly string[]): Compared {
  const present = folder.look(path);
  if (present.kind === 'nothing' || present.kind === 'obstacle') return {};
  const isOurs = present.kind === 'file' && isAsWritten(path, present.text, hashes);
  return isOurs ? { change: { path, kind: 'removed' } } : { conflict: { path, reason: 'edited' } };
}
