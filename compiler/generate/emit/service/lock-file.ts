/** package-lock.json of the service: the packages that this tool was tested with, without their download addresses. */
import { json } from '../../../notation/json-writer.js';
import type { Written } from '../../../notation/written.js';
import type { LockedPackages, RuntimeArchive } from '../../assets.js';
import { runtimePackage } from '../../plan/names/runtime-symbols.js';
import type { Manifest } from './package-json.js';

/** How a package is needed: always, only for building, or only where it can be installed. */
interface Need {
  readonly dev: boolean;
  readonly optional: boolean;
}

/** `locked` has at least all that the service needs. Throws an Error if a package is missing there. */
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

/** As npm orders keys, so that an install writes the same file again: plain values before objects, some of each first. */
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

/** Records a package and its dependencies; a package that is needed in two ways is needed in the stricter one. */
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

/** Where a package finds another: in its own folder or the nearest above it. */
function folderOf(from: string, name: string, locked: LockedPackages): string {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const folder = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (folder in locked) return folder;
    if (at === '') throw new Error(`No version of '${name}' is locked.`);
  }
}
