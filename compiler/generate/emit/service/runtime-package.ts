/** The runtime as a package inside the service: each of its parts, a folder, is there as a whole or not at all. */
import { posix } from 'node:path';
import type { Assets } from '../../assets.js';
import { runtimePackage, specifierOf } from '../../plan/names/runtime-symbols.js';
import type { GeneratedFile } from '../module/file.js';
import { importsOf, packageOf } from '../module/imports.js';
import { packageVersions, printManifest, typesOf, type Manifest } from './package-json.js';

/** Parts that every service has. */
const always = ['handler', 'http', 'server'];

/** Files that are there only beside another part. */
const onlyBeside: Readonly<Record<string, string>> = {
  'trace/traced-database.ts': 'sql',
  'trace/traced-rest.ts': 'rest',
  'testing/tested-rest.ts': 'rest',
};

/** Parts that generated modules import by their own name, where they are there, and the module that is meant; the others are reached through these. */
export const entries: Readonly<Record<string, string>> = {
  authentication: 'basic-auth',
  http: 'router',
  mysql: 'mysql',
  postgres: 'postgres',
  rest: 'rest',
  schedule: 'schedule',
  server: 'service',
  'test-page': 'test-page',
  testing: 'index',
  trace: 'index',
  validate: 'index',
};

interface RuntimeFile {
  /** Below the runtime's folder of sources: `sql/pool.ts`. */
  readonly path: string;
  readonly part: string;
  readonly text: string;
  readonly imports: readonly string[];
}

export interface RuntimePackage {
  readonly manifest: Manifest;
  readonly files: readonly GeneratedFile[];
}

/** The package with the parts that the service needs, and those that these need. */
function emitRuntime(needed: Iterable<string>, assets: Assets): RuntimePackage {
  const all = [...assets.runtime].map(([path, text]) => runtimeFile(path, text));
  const parts = withNeeded(all, [...always, ...needed]);
  const files = all
    .filter((file) => (file.part === '' || parts.has(file.part)) && isBeside(file.path, parts))
    .map((file) => (file.path.endsWith('index.ts') ? withoutMissing(file, parts) : file));
  const packages = new Set(files.flatMap(({ imports }) => imports.flatMap((name) => packageOf(name) ?? [])));
  const manifest = manifestOf(parts, packages, assets.version);
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

function runtimeFile(path: string, text: string): RuntimeFile {
  const part = path.includes('/') ? path.slice(0, path.indexOf('/')) : '';
  return { path, part, text, imports: importsOf(text) };
}

function withNeeded(files: readonly RuntimeFile[], first: readonly string[]): ReadonlySet<string> {
  const parts = new Set(first);
  // A set also yields the values that are added during the iteration.
  for (const part of parts) {
    for (const file of files) {
      if (file.part !== part || file.path in onlyBeside) continue;
      for (const target of file.imports.filter((specifier) => specifier.startsWith('.')))
        parts.add(partOf(file, target));
    }
  }
  return parts;
}

/** The part of a module that a file imports. */
function partOf({ path }: RuntimeFile, specifier: string): string {
  return posix.join(posix.dirname(path), specifier).split('/')[0] ?? '';
}

function isBeside(path: string, parts: ReadonlySet<string>): boolean {
  const other = onlyBeside[path];
  return other === undefined || parts.has(other);
}

/** Without the lines that export what is not there. */
function withoutMissing(file: RuntimeFile, parts: ReadonlySet<string>): RuntimeFile {
  const isThere = (line: string): boolean => {
    const [specifier] = importsOf(line);
    if (specifier === undefined) return true;
    const target = posix.join(posix.dirname(file.path), specifier).replace(/\.js$/, '.ts');
    return parts.has(partOf(file, specifier)) && isBeside(target, parts);
  };
  const text = file.text.split('\n').filter(isThere).join('\n');
  return { ...file, text, imports: importsOf(text) };
}

function manifestOf(parts: ReadonlySet<string>, packages: ReadonlySet<string>, version: string): Manifest {
  const names = [...packages].sort();
  const exports = Object.entries(entries)
    .filter(([part]) => parts.has(part))
    .map(([part, module]) => [specifierOf(part).replace(runtimePackage, '.'), exported(`${part}/${module}`)]);
  return {
    name: runtimePackage,
    version,
    license: 'MIT',
    private: true,
    type: 'module',
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

/** Keeps the runtime from one build to the next, as long as the service needs the same parts of it. */
export class KeptRuntime {
  #kept: { readonly assets: Assets; readonly key: string; readonly runtime: RuntimePackage } | undefined;

  runtime(parts: ReadonlySet<string>, assets: Assets): RuntimePackage {
    const key = [...parts].sort().join();
    if (this.#kept?.assets !== assets || this.#kept.key !== key)
      this.#kept = { assets, key, runtime: emitRuntime(parts, assets) };
    return this.#kept.runtime;
  }
}
