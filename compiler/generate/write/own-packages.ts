/** The owner's changes to package.json and package-lock.json: added packages and later versions stay. */
import { isDeepStrictEqual } from 'node:util';
import { json } from '../../notation/json-writer.js';
import { copied, type Written } from '../../notation/written.js';
import type { GeneratedFile } from '../emit/module/file.js';
import { runtimePackage } from '../plan/names/runtime-symbols.js';
import type { Folder } from './folder.js';
import { copiedRuntime, hash, type Manifest } from './manifest.js';
import { isJsonMap, type JsonMap } from '../../read/json.js';

/** A later version that the owner has written in place of the one that a build writes. */
export interface OwnVersion {
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
 * package.json keeps additions of the user, but the build's own fields win; later versions are kept, too. The lock file that npm has made
 * for it then stays, with the runtime of this build, and `npm install` updates it. It also stays if only the lock file was changed, by `npm
 * audit fix` for example, as long as the service needs the same packages.
 */
export function withOwnPackages(
  folder: Folder,
  files: readonly GeneratedFile[],
  before: Manifest,
): OwnPackages {
  const textOf = (path: string): string => files.find((file) => file.path === path)?.text ?? '';
  const generated = textOf('package.json');
  const own = ownManifest(folder, before);
  const merged = own && mergedManifest(parsed(generated) ?? {}, own);
  const isMerged = merged !== undefined && merged.text !== generated;
  const lock = folder.text(lockPath);
  const isEdited = lock !== undefined && before.get(lockPath)?.includes(hash(lock, lockPath)) === false;
  const keptLock =
    lock !== undefined && (isMerged || isEdited)
      ? withRuntime(lock, parsed(textOf(lockPath)), isMerged)
      : undefined;
  const texts = new Map<string, Written>();
  if (merged !== undefined) texts.set('package.json', merged.text);
  if (keptLock !== undefined) texts.set(lockPath, keptLock);
  return {
    files: files.map((file) => ({ ...file, text: texts.get(file.path) ?? file.text })),
    versions: merged?.versions ?? [],
    isLockReplaced: isEdited && keptLock === undefined,
  };
}

/** The user's additions to package.json; undefined if it is unchanged since a build, or cannot be merged. */
function ownManifest(folder: Folder, before: Manifest): JsonMap | undefined {
  const [service, runtime] = ['package.json', copiedRuntime].map((path) => {
    const text = folder.text(path);
    const written = before.get(path);
    if (text === undefined || written === undefined) return undefined;
    return { fields: parsed(text), isEdited: !written.includes(hash(text, path)) };
  });
  if (service?.fields === undefined || !(service.isEdited || runtime?.isEdited === true)) return undefined;
  if (runtime === undefined) return service.fields;
  // The additions of the last build for the copy of the runtime.
  const { workspaces, resolutions, engines, dependencies, ...fields } = service.fields;
  return {
    ...fields,
    ...unlessUndefined('workspaces', isDeepStrictEqual(workspaces, ['runtime']) ? undefined : workspaces),
    ...unlessUndefined('resolutions', omit(resolutions, runtimePackage)),
    ...unlessUndefined('engines', omit(engines, 'yarn')),
    dependencies: { ...tableOf(runtime.fields?.['dependencies']), ...tableOf(dependencies) },
  };
}

function unlessUndefined(name: string, value: unknown): JsonMap {
  return value === undefined ? {} : { [name]: value };
}

/** A table without one of its entries; undefined if it is empty then. */
function omit(table: unknown, name: string): unknown {
  if (!isJsonMap(table)) return table;
  const entries = Object.entries(table).filter(([key]) => key !== name);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function tableOf(value: unknown): JsonMap {
  return isJsonMap(value) ? value : {};
}

/** A package.json of which nothing can be kept, such as one with the marks of a merge conflict. A lock file is made anew. */
export function isDamaged(path: string, text: string): boolean {
  return path === 'package.json' && parsed(text) === undefined;
}

/**
 * The owner's lock file with the runtime of this build. Undefined if it is one for other packages, which `npm install` will not mend
 * (`willInstall`).
 */
function withRuntime(
  text: string,
  generated: JsonMap | undefined,
  willInstall: boolean,
): Written | undefined {
  const own = parsed(text);
  const packages = own?.['packages'];
  if (!isJsonMap(packages)) return willInstall ? copied(text) : undefined;
  // A copy of the runtime is in the lock files of earlier versions.
  if ('runtime' in packages) return undefined;
  const wanted = tableOf(generated?.['packages']);
  const [service, wantedService] = [tableOf(packages['']), tableOf(wanted[''])];
  const fits = ['dependencies', 'devDependencies'].every((table) =>
    isDeepStrictEqual(omit(service[table], runtimePackage), omit(wantedService[table], runtimePackage)),
  );
  if (!fits && !willInstall) return undefined;
  const runtimeFolder = `node_modules/${runtimePackage}`;
  const dependencies = {
    ...tableOf(service['dependencies']),
    [runtimePackage]: tableOf(wantedService['dependencies'])[runtimePackage],
  };
  const more = { '': { ...service, dependencies }, [runtimeFolder]: wanted[runtimeFolder] };
  const result = { ...own, packages: { ...packages, ...more } };
  return isDeepStrictEqual(result, own) ? copied(text) : json.file(result);
}

interface MergedManifest {
  readonly text: Written;
  readonly versions: readonly OwnVersion[];
}

function mergedManifest(generated: JsonMap, own: JsonMap): MergedManifest {
  const tables = ['dependencies', 'devDependencies'].filter((name) => isJsonMap(generated[name]));
  const versions = tables.flatMap((name) => laterVersions(generated[name], own[name]));
  const kept = Object.fromEntries(
    versions.filter(({ isKept }) => isKept).map(({ name, own }) => [name, own]),
  );
  const raised = tables.map((name) => [name, withVersions(generated[name], kept)]);
  const result = { ...generated, ...(Object.fromEntries(raised) as JsonMap) };
  return { text: json.file(mergedFields(withOwnRelease(result, own), own)), versions };
}

/** The runtime is the one for which the code is generated. */
function laterVersions(generated: unknown, own: unknown): OwnVersion[] {
  if (!isJsonMap(generated) || !isJsonMap(own)) return [];
  return Object.entries(generated).flatMap(([name, version]) => {
    const other = own[name];
    return name !== runtimePackage &&
      typeof version === 'string' &&
      typeof other === 'string' &&
      isLater(other, version)
      ? [{ name, own: other, generated: version, isKept: haveSameMajor(other, version) }]
      : [];
  });
}

function withVersions(table: unknown, versions: JsonMap): JsonMap {
  return Object.fromEntries(
    Object.entries(tableOf(table)).map(([name, version]) => [name, versions[name] ?? version]),
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
