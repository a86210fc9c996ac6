/**
 * Builds the compiler and the runtime for tests: each source file becomes JavaScript when a run begins, and Node loads it directly.
 * Otherwise Vite would examine 750 modules one by one and evaluate them again in each process, which takes a quarter of the total time.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type OutputFile } from 'esbuild';
import type { Plugin } from 'vitest/config';
import { builtPrograms } from '../runtime/start-process.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The output folder, with the same structure as the repository. */
const folder = join(root, 'dist/tested');

/** Replaces PGlite in tests: the compiler must resolve it in the same way as in production. */
const keptPglite = 'test/helpers/kept-pglite';

/** A value for `server.deps.external`. */
export const builtModules = /\/dist\/tested\//;

/** Redirects imports of the sources to the built files. */
export function builtSources(): Plugin {
  const modules = new Set<string>();
  return {
    name: 'built-sources',
    enforce: 'pre',
    // This hook is the first to know whether Vitest watches.
    async configureServer({ config: { server } }) {
      // In watch mode, the sources themselves are loaded.
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
      // A second instance of a module would have its own types and state.
      if (modules.has(moduleOf(id))) throw new Error(`${id} is loaded in addition to its build.`);
    },
  };
}

/** Builds all sources, and the programs of `startProcess` as one file each; returns the names of the sources. */
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
    // Vitest uses source maps to locate errors.
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
    write: false,
  });
  return outputFiles;
}

/** The path relative to the repository, without extension. */
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

/** Atomic, and only if the text changes: another run may be loading the file. */
function write(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}
