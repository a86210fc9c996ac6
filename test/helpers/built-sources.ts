/**
 * The compiler and the runtime as tests load them: each of their files as JavaScript, made anew when a run begins, and loaded by Node itself.
 * Vite would look at 750 modules one by one, and evaluate them again in each process, which takes a quarter of all time.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type OutputFile } from 'esbuild';
import type { Plugin } from 'vitest/config';
import { builtPrograms } from '../runtime/start-process.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where they are, as below the repository's folder. */
const folder = join(root, 'dist/tested');

/** Replaces PGlite in tests: the compiler must find it in the same way as in production. */
const keptPglite = 'test/helpers/kept-pglite';

/** For `server.deps.external`. */
export const builtModules = /\/dist\/tested\//;

/** Redirects imports of the sources to the built files. */
export function builtSources(): Plugin {
  const modules = new Set<string>();
  return {
    name: 'built-sources',
    enforce: 'pre',
    // Vitest has said by now whether it watches.
    async configureServer({ config: { server } }) {
      // A run that watches sources loads them itself.
      if (server.watch !== null) return;
      for (const module of await buildAll()) modules.add(module);
      process.env[builtPrograms] = folder;
    },
    resolveId(source, importer = join(root, 'importer')) {
      if (!/^[./]/.test(source)) return undefined;
      const module = moduleOf(resolve(dirname(importer), source));
      return modules.has(module) ? join(folder, `${module}.js`) : undefined;
    },
    load(id) {
      // A second instance of a module would have types and states of its own.
      if (modules.has(moduleOf(id))) throw new Error(`${id} is loaded beside what was built of it.`);
    },
  };
}

/** Builds all of them, and the programs of `startProcess`, each as one file: returns the names of the sources. */
async function buildAll(): Promise<string[]> {
  const sources = ['compiler', 'runtime'].flatMap((name) => filesBelow(join(root, name)));
  const modules = [...sources.filter((path) => path.endsWith('.ts')), join(root, `${keptPglite}.ts`)];
  const programs = filesBelow(join(root, 'test/runtime')).filter((path) => basename(path) === 'main.ts');
  const files = [
    ...(await outputOf({ entryPoints: modules })),
    ...(await outputOf({ entryPoints: programs, bundle: true, packages: 'external' })),
  ];
  for (const { path, text } of files) write(path, withKeptPglite(path, text));
  const made = new Set(files.map(({ path }) => path));
  const others = filesBelow(folder).filter((path) => /\.(?:js|map)$/.test(path) && !made.has(path));
  for (const path of others) rmSync(path, { force: true });
  return modules.map(moduleOf);
}

async function outputOf(options: BuildOptions): Promise<OutputFile[]> {
  const { outputFiles } = await build({
    ...options,
    absWorkingDir: root,
    outdir: folder,
    outbase: root,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // Vitest looks for the places of errors in them.
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
    write: false,
  });
  return outputFiles;
}

/** As a path from the repository's folder, without what it ends with. */
function moduleOf(path: string): string {
  return relative(root, path)
    .replaceAll('\\', '/')
    .replace(/\.[jt]s$/, '');
}

function filesBelow(path: string): string[] {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function withKeptPglite(path: string, text: string): string {
  const kept = join(folder, `${keptPglite}.js`);
  if (path === kept)
    return text.replaceAll(/"[./]+\/node_modules\/(@electric-sql\/pglite)\/dist\/index\.js"/g, '"$1"');
  const found = relative(dirname(path), kept).replaceAll('\\', '/');
  return text.replaceAll(/(?<=from |import\()"@electric-sql\/pglite"/g, JSON.stringify(found));
}

/** In one step, and only where it changes: another run may load it now. */
function write(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}
