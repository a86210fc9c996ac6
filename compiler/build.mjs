/**
 * `npm run build`: the compiler in dist/compiler, with one file for each command and for shared parts, and the runtime's package. Node
 * loads files one by one: with 600 modules, a small build would take a third longer.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildRuntime } from './build-runtime.mjs';

const outdir = fileURLToPath(new URL('../dist/compiler', import.meta.url));

const { outputFiles } = await build({
  absWorkingDir: fileURLToPath(new URL('.', import.meta.url)),
  // The program, a thread of it, and a step of this build.
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
  // In one step: a compiler may run that loads it now.
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
// The packed PostgreSQL takes seconds to make, and has its version in its name.
for (const name of before) if (!name.endsWith('.tar.gz')) rmSync(`${outdir}/${name}`, { recursive: true });
await buildRuntime();
await import('../dist/compiler/pack-postgres.js');
