/** The owner's changes to both package.json (of the service and its runtime) and to package-lock.json: added packages and later versions stay. */
import { posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { json } from '../../notation/json-writer.js';
import { copied, type Written } from '../../notation/written.js';
import type { GeneratedFile } from '../emit/module/file.js';
import type { Folder } from './folder.js';
import { hash, type Manifest } from './manifest.js';
import { isJsonMap, type JsonMap } from '../../read/json.js';

/** A later version that the owner has written in place of the one that a build writes. */
export interface OwnVersion {
  readonly path: string;
  readonly name: string;
  readonly own: string;
  readonly generated: string;
  /** False for another major version, which may not work with the generated code: the build's own is written. */
  readonly isKept: boolean;
}

export interface OwnPackages {
  /** As they go into the folder. */
  readonly files: readonly GeneratedFile[];
  readonly versions: readonly OwnVersion[];
  /** Whether the owner has changed the lock file, and it no longer fits. */
  readonly isLockReplaced: boolean;
}

const lockPath = 'package-lock.json';

/**
 * package.json gets what its owner has put in, where a build's own fields win; it and the package.json of the runtime keep later versions.
 * Then the lock file that npm has made for them stays, and `npm install` brings it up to date. It also stays where only it was changed, by
 * `npm audit fix` for example, as long as the service needs the same packages.
 */
export function withOwnPackages(
  folder: Folder,
  files: readonly GeneratedFile[],
  before: Manifest,
): OwnPackages {
  const merged = files.flatMap(({ path, text }) => {
    const present = path.endsWith('package.json') ? folder.text(path) : undefined;
    const written = before.get(path);
    if (present === undefined || written === undefined || written.includes(hash(present))) return [];
    const own = parsed(present);
    return own === undefined ? [] : [mergedManifest(path, parsed(text) ?? {}, own)];
  });
  const texts = new Map<string, Written>(merged.map(({ path, text }) => [path, text]));
  const isMerged = files.some(({ path, text }) => texts.has(path) && texts.get(path) !== text);
  const lock = folder.text(lockPath);
  const isEdited = lock !== undefined && before.get(lockPath)?.includes(hash(lock)) === false;
  const isKept = isMerged || (isEdited && fits(lock, files));
  if (isKept && lock !== undefined) texts.set(lockPath, copied(lock));
  return {
    files: files.map((file) => ({ ...file, text: texts.get(file.path) ?? file.text })),
    versions: merged.flatMap(({ versions }) => versions),
    isLockReplaced: isEdited && !isKept,
  };
}

/** A package.json of which nothing can be kept, such as one with the marks of a merge conflict. A lock file is made anew. */
export function isDamaged(path: string, text: string): boolean {
  return path === 'package.json' && parsed(text) === undefined;
}

/** Whether a lock file is one for the packages that the service and its runtime name. */
function fits(lock: string, files: readonly GeneratedFile[]): boolean {
  const { packages } = parsed(lock) ?? {};
  return ['', 'runtime'].every((folder) => {
    const locked = isJsonMap(packages) ? packages[folder] : undefined;
    const manifest = parsed(
      files.find(({ path }) => path === posix.join(folder, 'package.json'))?.text ?? '',
    );
    return ['dependencies', 'devDependencies'].every(
      (table) => isJsonMap(locked) && isDeepStrictEqual(locked[table], manifest?.[table]),
    );
  });
}

interface MergedManifest {
  readonly path: string;
  readonly text: Written;
  readonly versions: readonly OwnVersion[];
}

function mergedManifest(path: string, generated: JsonMap, own: JsonMap): MergedManifest {
  const tables = ['dependencies', 'devDependencies'].filter((name) => isJsonMap(generated[name]));
  const versions = tables.flatMap((name) => laterVersions(path, generated[name], own[name]));
  const kept = Object.fromEntries(
    versions.filter(({ isKept }) => isKept).map(({ name, own }) => [name, own]),
  );
  const raised = tables.map((name) => [name, withVersions(generated[name], kept)]);
  const result = { ...generated, ...(Object.fromEntries(raised) as JsonMap) };
  const fields = path === 'package.json' ? mergedFields(withOwnRelease(result, own), own) : result;
  return { path, text: json.file(fields), versions };
}

function laterVersions(path: string, generated: unknown, own: unknown): OwnVersion[] {
  if (!isJsonMap(generated) || !isJsonMap(own)) return [];
  return Object.entries(generated).flatMap(([name, version]) => {
    const other = own[name];
    return typeof version === 'string' && typeof other === 'string' && isLater(other, version)
      ? [{ path, name, own: other, generated: version, isKept: haveSameMajor(other, version) }]
      : [];
  });
}

function withVersions(table: unknown, versions: JsonMap): JsonMap {
  return Object.fromEntries(
    Object.entries(isJsonMap(table) ? table : {}).map(([name, version]) => [name, versions[name] ?? version]),
  );
}

/** The owner's releases have versions of their own. */
function withOwnRelease(generated: JsonMap, { version }: JsonMap): JsonMap {
  return isLater(version, generated['version']) ? { ...generated, version } : generated;
}

/** The fields of both, those inside of tables too. */
function mergedFields(generated: JsonMap, own: JsonMap): JsonMap {
  const fields = Object.entries(generated).map(([name, value]): [string, unknown] => {
    const other = own[name];
    return [name, isJsonMap(value) && isJsonMap(other) ? mergedFields(value, other) : value];
  });
  const more = Object.entries(own).filter(([name]) => !Object.hasOwn(generated, name));
  return Object.fromEntries([...fields, ...more]);
}

function parsed(text: string): JsonMap | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

interface Version {
  /** Major, minor and patch. */
  readonly numbers: readonly number[];
  readonly isPreliminary: boolean;
}

/** True for 1.2.0 after 1.1.9 or 1.2.0-beta; false if one of them is not such a version. Of ^1.2.0 the first version counts. */
function isLater(version: unknown, other: unknown): boolean {
  const [one, two] = [versionOf(version), versionOf(other)];
  if (one === undefined || two === undefined) return false;
  const difference = one.numbers.map((number, index) => number - (two.numbers[index] ?? 0)).find(Boolean);
  return difference === undefined ? two.isPreliminary && !one.isPreliminary : difference > 0;
}

/** Whether both versions have the same major number, such as 1.9.0 and 1.2.0: then they are compatible. */
function haveSameMajor(version: unknown, other: unknown): boolean {
  return versionOf(version)?.numbers[0] === versionOf(other)?.numbers[0];
}

function versionOf(written: unknown): Version | undefined {
  const found = /^[~^]?(\d+)\.(\d+)\.(\d+)(-[\w.-]+)?(?:\+[\w.-]+)?$/.exec(String(written));
  return found === null
    ? undefined
    : { numbers: found.slice(1, 4).map(Number), isPreliminary: found[4] !== undefined };
}
