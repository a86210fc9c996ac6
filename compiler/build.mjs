/**
 * `npm run build`: bundles the compiler to dist/compiler, with one file per command plus shared chunks, and builds the runtime package.
 * Node loads files one by one: unbundled, with 600 modules, a small build would take a third longer.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildRuntime } from './build-runtime.mjs';

const outdir = fileURLToPath(new URL('../dist/compiler', import.meta.url));

const { outputFiles } = await build({
  absWorkingDir: fileURLToPath(new URL('.', import.meta.url)),
  // The program, a thread of the program, and a step of this build.
  entryPoints: [
    'cli.ts',
    'analyze/database/embedded/postgres-thread.ts',
    'analyze/database/pack-postgres.ts',
  ],
  entryNames: '[name]',
  outdir,
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // `npm run coverage` maps running code to the sources.
  sourcemap: process.env.NODE_V8_COVERAGE !== undefined,
  logLevel: 'warning',
  write: false,
});
mkdirSync(outdir, { recursive: true });
const before = new Set(readdirSync(outdir));
for (const { path, text } of outputFiles) {
  const isThere = before.delete(basename(path));
  if (isThere && readFileSync(path, 'utf8') === text) continue;
  // Replaced atomically, because a running compiler may be loading this file.
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
// The packed PostgreSQL takes seconds to create and has its version in its name, so it is kept.
for (const name of before) if (!name.endsWith('.tar.gz')) rmSync(`${outdir}/${name}`, { recursive: true });
await buildRuntime();
await import('../dist/compiler/pack-postgres.js');
