/**
 * The runtime as a package inside the service: the files that its modules reach by imports. An `index.ts` is a list of exports, of which
 * a service has those whose files it has.
 */
import { copied, type Written } from '../../../notation/written.js';
import type { Assets } from '../../assets.js';
import { runtimePackage, specifierOf } from '../../plan/names/runtime-symbols.js';
import type { GeneratedFile } from '../module/file.js';
import type { ImportDeclaration } from '../module/imports.js';
import { importsOf, packageOf } from '../module/imports.js';
import { nodeVersions, packageVersions, printManifest, typesOf, type Manifest } from './package-json.js';

/** The exports of the package that generated modules import by name, and the module of each; these modules import all others. */
export const entries: Readonly<Record<string, string>> = {
  'api-docs': 'api-docs/api-docs',
  apikey: 'apikey/api-key',
  authentication: 'authentication/accept',
  basicauth: 'basicauth/basic-auth',
  compression: 'http/compression',
  cors: 'http/cors',
  custom: 'custom/custom',
  'described-responses': 'rest/described-responses',
  errors: 'errors/index',
  http: 'http/router',
  jwt: 'jwt/index',
  knex: 'knex/knex',
  management: 'management/observe',
  mysql: 'mysql/mysql',
  outbox: 'outbox/index',
  'own-access': 'code/own-access',
  'own-code': 'code/own-code',
  'own-databases': 'code/own-databases',
  'own-routes': 'code/own-routes',
  'password-hash': 'password-hash/hashed-account',
  postgres: 'postgres/postgres',
  rest: 'rest/rest',
  schedule: 'schedule/schedule',
  server: 'server/service',
  servers: 'sql/several-servers',
  signature: 'signature/signature',
  'test-page': 'test-page/test-page',
  testing: 'testing/index',
  trace: 'trace/index',
  validate: 'validate/index',
  workers: 'workers/workers',
};

/** Imports of the runtime in generated modules: names by specifier. */
export type RuntimeImports = ReadonlyMap<string, ReadonlySet<string>>;

interface RuntimeFile {
  /** Below the runtime's folder of sources: `sql/pool.ts`. */
  readonly path: string;
  readonly text: Written;
  readonly imports: readonly string[];
}

export interface RuntimePackage {
  readonly manifest: Manifest;
  readonly files: readonly GeneratedFile[];
}

function emitRuntime(needed: RuntimeImports, assets: Assets): RuntimePackage {
  const all = new Map([...assets.runtime].map(([path, text]) => [path, fileOf(path, text)]));
  const present = reached(needed, all);
  const lists = ['index.ts', ...[...needed.keys()].map(entryOf).filter(isList)];
  const files = [...all.values()].flatMap((file) => {
    if (lists.includes(file.path)) return [withoutMissing(file, present)];
    return present.has(file.path) ? [file] : [];
  });
  const packages = new Set(files.flatMap(({ imports }) => imports.flatMap((name) => packageOf(name) ?? [])));
  const manifest = manifestOf(needed, packages, assets.version);
  const written = [
    { path: 'package.json', text: printManifest(manifest) },
    { path: 'LICENSE', text: assets.license },
    { path: 'tsconfig.json', text: assets.template('runtime/tsconfig.json') },
    ...files.map(({ path, text }) => ({ path: `src/${path}`, text })),
  ];
  return {
    manifest,
    files: written.map(({ path, text }) => ({ path: `runtime/${path}`, text, kind: 'generated' })),
  };
}

function fileOf(path: string, text: Written<'copy'>): RuntimeFile {
  return { path, text, imports: importsOf(text) };
}

/** The files that the imports lead to. */
function reached(needed: RuntimeImports, files: ReadonlyMap<string, RuntimeFile>): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const [specifier, names] of needed) {
    const entry = entryOf(specifier);
    const targets = isList(entry) ? exportedFrom(entry, names, files) : [entry];
    for (const path of targets) paths.add(path);
  }
  // A set also yields the values that are added during the iteration.
  for (const path of paths)
    for (const target of files.get(path)?.imports ?? [])
      if (target.startsWith('.')) paths.add(resolved(path, target));
  return paths;
}

/** The module that a specifier means: `sql/index.ts`. */
function entryOf(specifier: string): string {
  const name = specifier.slice(runtimePackage.length + 1);
  return `${name === '' ? 'index' : (entries[name] ?? name)}.ts`;
}

function isList(path: string): boolean {
  return path.endsWith('index.ts');
}

function exportedFrom(
  path: string,
  names: ReadonlySet<string>,
  files: ReadonlyMap<string, RuntimeFile>,
): string[] {
  const lines = files.get(path)?.text.split('\n') ?? [];
  return lines.flatMap((line) => {
    const exported = /\{ (.*) \}/.exec(line)?.[1]?.split(', ') ?? [];
    const isNeeded = exported.some((name) => names.has(name.replace(/^type /, '')));
    return isNeeded ? importsOf(line).map((specifier) => resolved(path, specifier)) : [];
  });
}

/** The path of a module that a file imports. */
function resolved(path: string, specifier: string): string {
  const parts = path.split('/').slice(0, -1);
  for (const part of specifier.split('/'))
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  return parts.join('/').replace(/\.js$/, '.ts');
}

/** Without the lines that export what is not there. */
function withoutMissing({ path, text }: RuntimeFile, present: ReadonlySet<string>): RuntimeFile {
  const lines = text
    .split('\n')
    .filter((line) => importsOf(line).every((specifier) => present.has(resolved(path, specifier))));
  return fileOf(path, copied(lines.join('\n')));
}

function manifestOf(needed: RuntimeImports, packages: ReadonlySet<string>, version: string): Manifest {
  const names = [...packages].sort();
  const exports = Object.entries(entries)
    .filter(([name]) => needed.has(specifierOf(name)))
    .map(([name, module]) => [`./${name}`, exported(module)]);
  return {
    name: runtimePackage,
    version,
    license: 'MIT',
    private: true,
    type: 'module',
    engines: { node: nodeVersions },
    exports: { '.': exported('index'), ...(Object.fromEntries(exports) as object) },
    // It would send a report of each installation to its makers.
    ...(packages.has('swagger-ui-dist') ? { scarfSettings: { enabled: false } } : {}),
    dependencies: packageVersions(names),
    devDependencies: typesOf(names),
  };
}

function exported(path: string): { readonly types: string; readonly default: string } {
  return { types: `./dist/${path}.d.ts`, default: `./dist/${path}.js` };
}

/** Keeps the runtime from one build to the next, as long as the service imports the same of it. */
export class KeptRuntime {
  #kept: { readonly assets: Assets; readonly key: string; readonly runtime: RuntimePackage } | undefined;

  runtime(needed: RuntimeImports, assets: Assets): RuntimePackage {
    const key = JSON.stringify(
      [...needed].map(([specifier, names]) => [specifier, ...[...names].sort()]).sort(),
    );
    if (this.#kept?.assets !== assets || this.#kept.key !== key)
      this.#kept = { assets, key, runtime: emitRuntime(needed, assets) };
    return this.#kept.runtime;
  }
}

/** The names that the modules import, by the specifier of the runtime. */
export function runtimeImports(declarations: Iterable<ImportDeclaration>): RuntimeImports {
  const imports = new Map<string, Set<string>>();
  for (const { specifier, names } of declarations) {
    if (packageOf(specifier) !== runtimePackage) continue;
    const all = imports.get(specifier) ?? new Set<string>();
    for (const { name } of names) all.add(name);
    imports.set(specifier, all);
  }
  return imports;
}
