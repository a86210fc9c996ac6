/** Keeps the user's changes to package.json and package-lock.json: added packages and later versions. */
import { isDeepStrictEqual } from 'node:util';
import { json } from '../../notation/json-writer.js';
import { copied, type Written } from '../../notation/written.js';
import type { GeneratedFile } from '../emit/module/file.js';
import { runtimePackage } from '../plan/names/runtime-symbols.js';
import type { Folder } from './folder.js';
import { copiedRuntime, hash, jsonFields, type Manifest } from './manifest.js';
import { isJsonMap, type JsonMap } from '../../read/json.js';

/** A later version that the user wrote in place of the generated one. */
export interface OwnVersion {
  readonly name: string;
  readonly own: string;
  readonly generated: string;
  /** False for a different major version, which may not work with the generated code: the generated version is written instead. */
  readonly isKept: boolean;
}

/** A value of package.json that the user changed, and that a build puts back. */
export interface ReplacedValue {
  /** The fields that lead to the value, such as `scripts` and `start`. */
  readonly path: readonly string[];
  readonly own: unknown;
  readonly generated: unknown;
}

export interface OwnPackages {
  /** The files to write to the folder. */
  readonly files: readonly GeneratedFile[];
  readonly versions: readonly OwnVersion[];
  /** Changed values that are put back, except versions of another major. */
  readonly replaced: readonly ReplacedValue[];
  /** Whether the user changed the lock file and the changes no longer apply. */
  readonly isLockReplaced: boolean;
}

const lockPath = 'package-lock.json';

/**
 * package.json keeps additions and later versions of the user, but generated fields win. The lock file that npm made for it is then kept,
 * with the runtime of this build, and `npm install` updates it. It is also kept if only the lock file was changed, for example by `npm
 * audit fix`, as long as the service needs the same packages. `lastFields` are the fields of package.json that the last build wrote.
 */
export function withOwnPackages(
  folder: Folder,
  files: readonly GeneratedFile[],
  before: Manifest,
  lastFields: JsonMap | undefined,
): OwnPackages {
  const textOf = (path: string): string => files.find((file) => file.path === path)?.text ?? '';
  const generated = textOf('package.json');
  const own = ownManifest(folder, before);
  const merged = own && mergedManifest(jsonFields(generated) ?? {}, own);
  const isMerged = merged !== undefined && merged.text !== generated;
  const lock = folder.text(lockPath);
  const isEdited = lock !== undefined && before.get(lockPath)?.includes(hash(lock, lockPath)) === false;
  const keptLock =
    lock !== undefined && (isMerged || isEdited)
      ? withRuntime(lock, jsonFields(textOf(lockPath)), isMerged)
      : undefined;
  const texts = new Map<string, Written>();
  if (merged !== undefined) texts.set('package.json', merged.text);
  if (keptLock !== undefined) texts.set(lockPath, keptLock);
  return {
    files: files.map((file) => ({ ...file, text: texts.get(file.path) ?? file.text })),
    versions: merged?.versions ?? [],
    replaced: merged && lastFields ? replacedValues(merged, own, lastFields) : [],
    isLockReplaced: isEdited && keptLock === undefined,
  };
}

/** The user's additions to package.json; undefined if the file is unchanged since a build or cannot be merged. */
function ownManifest(folder: Folder, before: Manifest): JsonMap | undefined {
  const [service, runtime] = ['package.json', copiedRuntime].map((path) => {
    const text = folder.text(path);
    const written = before.get(path);
    if (text === undefined || written === undefined) return undefined;
    return { fields: jsonFields(text), isEdited: !written.includes(hash(text, path)) };
  });
  if (service?.fields === undefined || !(service.isEdited || runtime?.isEdited === true)) return undefined;
  if (runtime === undefined) return service.fields;
  // Additions that the last build made for the copied runtime.
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

/** The table without one entry; undefined if the table becomes empty. */
function omit(table: unknown, name: string): unknown {
  if (!isJsonMap(table)) return table;
  const entries = Object.entries(table).filter(([key]) => key !== name);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function tableOf(value: unknown): JsonMap {
  return isJsonMap(value) ? value : {};
}

/**
 * Whether the file is a package.json that cannot be merged, for example because of merge conflict markers. A damaged lock file is
 * regenerated instead.
 */
export function isDamaged(path: string, text: string): boolean {
  return path === 'package.json' && jsonFields(text) === undefined;
}

/**
 * The user's lock file with the runtime of this build. Undefined if it is for different packages and no `npm install` will fix it
 * (`willInstall`).
 */
function withRuntime(
  text: string,
  generated: JsonMap | undefined,
  willInstall: boolean,
): Written | undefined {
  const own = jsonFields(text);
  const packages = own?.['packages'];
  if (!isJsonMap(packages)) return willInstall ? copied(text) : undefined;
  // Lock files of earlier versions contain a copied runtime.
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
  readonly fields: JsonMap;
  readonly text: Written;
  readonly versions: readonly OwnVersion[];
}

const forService = 'dependencies';
const forBuilds = 'devDependencies';

function mergedManifest(generated: JsonMap, own: JsonMap): MergedManifest {
  const placed = withOwnPlaces(generated, own);
  const tables = [forService, forBuilds].filter((name) => isJsonMap(placed[name]));
  const versions = tables.flatMap((name) => laterVersions(placed[name], own[name]));
  const kept = Object.fromEntries(
    versions.filter(({ isKept }) => isKept).map(({ name, own }) => [name, own]),
  );
  const raised = tables.map((name) => [name, withVersions(placed[name], kept)]);
  const result = { ...placed, ...(Object.fromEntries(raised) as JsonMap) };
  const fields = mergedFields(withOwnRelease(result, own), own);
  return { fields, text: json.file(fields), versions };
}

/** Packages that only builds need stay in `dependencies` if the user has moved them there. */
function withOwnPlaces(generated: JsonMap, own: JsonMap): JsonMap {
  const [ownForService, ownForBuilds] = [tableOf(own[forService]), tableOf(own[forBuilds])];
  const isMoved = ([name]: readonly [string, unknown]): boolean =>
    Object.hasOwn(ownForService, name) && !Object.hasOwn(ownForBuilds, name);
  const entries = Object.entries(tableOf(generated[forBuilds]));
  const moved = entries.filter(isMoved);
  if (moved.length === 0) return generated;
  return {
    ...generated,
    [forService]: { ...tableOf(generated[forService]), ...Object.fromEntries(moved) },
    [forBuilds]: Object.fromEntries(entries.filter((entry) => !isMoved(entry))),
  };
}

/** Values that the user changed after the last build and that the merged package.json does not have. */
function replacedValues(
  { fields, versions }: MergedManifest,
  own: JsonMap,
  lastFields: JsonMap,
): ReplacedValue[] {
  const reported = new Set(versions.map(({ name }) => name));
  return differences(fields, own, lastFields, []).filter(
    ({ path: [table = '', name = ''] }) =>
      !((table === forService || table === forBuilds) && reported.has(name)),
  );
}

function differences(
  merged: JsonMap,
  own: JsonMap,
  last: JsonMap,
  above: readonly string[],
): ReplacedValue[] {
  return Object.entries(merged).flatMap(([name, generated]) => {
    if (!Object.hasOwn(own, name)) return [];
    const [path, value, before] = [[...above, name], own[name], last[name]];
    if (isJsonMap(generated) && isJsonMap(value)) return differences(generated, value, tableOf(before), path);
    const isReplaced = !isDeepStrictEqual(value, generated) && !isDeepStrictEqual(value, before);
    return isReplaced ? [{ path, own: value, generated }] : [];
  });
}

/** The user's later versions. The runtime is excluded, because the generated code needs exactly its version. */
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

/** Users may give releases of the service their own version. */
function withOwnRelease(generated: JsonMap, { version }: JsonMap): JsonMap {
  return isLater(version, generated['version']) ? { ...generated, version } : generated;
}

/** Merges the fields of both, including nested tables. */
function mergedFields(generated: JsonMap, own: JsonMap): JsonMap {
  const fields = Object.entries(generated).map(([name, value]): [string, unknown] => {
    const other = own[name];
    return [name, isJsonMap(value) && isJsonMap(other) ? mergedFields(value, other) : value];
  });
  const more = Object.entries(own).filter(([name]) => !Object.hasOwn(generated, name));
  return Object.fromEntries([...fields, ...more]);
}

interface Version {
  /** Major, minor and patch numbers. */
  readonly numbers: readonly number[];
  readonly isPreliminary: boolean;
}

/**
 * Whether the first version is later: 1.2.0 is later than 1.1.9 and 1.2.0-beta. False if either is not such a version; `^1.2.0` counts as
 * 1.2.0.
 */
function isLater(version: unknown, other: unknown): boolean {
  const [one, two] = [versionOf(version), versionOf(other)];
  if (one === undefined || two === undefined) return false;
  const difference = one.numbers.map((number, index) => number - (two.numbers[index] ?? 0)).find(Boolean);
  return difference === undefined ? two.isPreliminary && !one.isPreliminary : difference > 0;
}

/** Whether both versions have the same major number and are therefore compatible, such as 1.9.0 and 1.2.0. */
function haveSameMajor(version: unknown, other: unknown): boolean {
  return versionOf(version)?.numbers[0] === versionOf(other)?.numbers[0];
}

function versionOf(written: unknown): Version | undefined {
  const found = /^[~^]?(\d+)\.(\d+)\.(\d+)(-[\w.-]+)?(?:\+[\w.-]+)?$/.exec(String(written));
  return found === null
    ? undefined
    : { numbers: found.slice(1, 4).map(Number), isPreliminary: found[4] !== undefined };
}
