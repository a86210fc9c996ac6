/** package-lock.json of the service: the package versions tested with this tool, without download URLs. */
import { json } from '../../../notation/json-writer.js';
import type { Written } from '../../../notation/written.js';
import type { LockedPackages, RuntimeArchive } from '../../assets.js';
import { runtimePackage } from '../../plan/names/runtime-symbols.js';
import type { Manifest } from './package-json.js';

/** Whether a package is needed always, only for building, or only where it can be installed. */
interface Need {
  readonly dev: boolean;
  readonly optional: boolean;
}

/** `locked` contains at least the packages that the service needs. Throws an Error if a package is missing. */
export function emitLockFile(
  service: Manifest,
  { integrity, manifest }: RuntimeArchive,
  locked: LockedPackages,
): Written<'json'> {
  const needs = new Map<string, Need>();
  for (const [table, dev] of [
    [service.dependencies, false],
    [service.devDependencies, true],
  ] as const) {
    for (const name of Object.keys(table))
      if (name !== runtimePackage) need(folderOf('', name, locked), { dev, optional: false }, locked, needs);
  }
  const written = service.dependencies[runtimePackage] ?? '';
  const { version: runtimeVersion, license, engines: runtimeEngines } = manifest;
  const runtime = {
    version: runtimeVersion,
    ...(written.startsWith('file:') && { resolved: written }),
    integrity,
    license,
    engines: runtimeEngines,
    peerDependencies: manifest.peerDependencies,
    peerDependenciesMeta: manifest.peerDependenciesMeta,
  };
  const installed = [...needs].map(([folder, { dev, optional }]): [string, object] => [
    folder,
    { ...locked[folder], ...(dev && { dev }), ...(optional && { optional }) },
  ]);
  const packages = [[`node_modules/${runtimePackage}`, runtime] as const, ...installed];
  const { name, version, engines, dependencies, devDependencies } = service;
  const lock = {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name, version, dependencies, devDependencies, engines },
      ...Object.fromEntries(packages.sort(([a], [b]) => a.localeCompare(b, 'en'))),
    },
  };
  return json.file(inOrder(lock));
}

const firstKeys = [
  'name',
  'version',
  'lockfileVersion',
  'resolved',
  'integrity',
  'requires',
  'packages',
  'dependencies',
];

/** Sorts keys like npm, so that installing does not change the file: plain values before objects, with some keys first. */
function inOrder(value: unknown): unknown {
  if (!isObject(value)) return value;
  const rank = (key: string): string => {
    const first = firstKeys.indexOf(key);
    return `${isObject(value[key]) ? 'object' : 'a value'} ${first < 0 ? 'z' : first}`;
  };
  const keys = Object.keys(value).sort((a, b) => rank(a).localeCompare(rank(b)) || a.localeCompare(b, 'en'));
  return Object.fromEntries(keys.map((key) => [key, inOrder(value[key])]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Records a package and its dependencies; a package needed in two ways gets the stricter need. */
function need(folder: string, how: Need, locked: LockedPackages, needs: Map<string, Need>): void {
  const found = locked[folder];
  if (found === undefined) throw new Error(`No package is locked in '${folder}'.`);
  const before = needs.get(folder);
  const both = {
    dev: how.dev && before?.dev !== false,
    optional: how.optional && before?.optional !== false,
  };
  if (before?.dev === both.dev && before.optional === both.optional) return;
  needs.set(folder, both);
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = found;
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    if (name in optionalDependencies || found.peerDependenciesMeta?.[name]?.optional === true) continue;
    need(folderOf(folder, name, locked), both, locked, needs);
  }
  for (const name of Object.keys(optionalDependencies))
    need(folderOf(folder, name, locked), { ...both, optional: true }, locked, needs);
}

/** Resolves a package: in the requiring package's own folder or the nearest folder above. */
function folderOf(from: string, name: string, locked: LockedPackages): string {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const folder = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (folder in locked) return folder;
    if (at === '') throw new Error(`No version of '${name}' is locked.`);
  }
}
