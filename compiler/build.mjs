/**
 * `npm run build`: the compiler in dist/compiler, a file for each command and for what commands share. Node finds and loads each file by
 * itself: as 600 modules a small build would take a third longer.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('.', import.meta.url));
const outdir = fileURLToPath(new URL('../dist/compiler', import.meta.url));

mkdirSync(outdir, { recursive: true });
for (const file of readdirSync(outdir)) {
  // The packed PostgreSQL takes seconds to make, and has its version in its name.
  if (!file.endsWith('.tar.gz')) rmSync(`${outdir}/${file}`, { recursive: true });
}
await build({
  absWorkingDir: folder,
  // The program, what its threads run, and a step of this build.
  entryPoints: ['cli.ts', 'emit/format-thread.ts', 'emit/import-thread.ts', 'database/pack-postgres.ts'],
  entryNames: '[name]',
  outdir,
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
});
await import('../dist/compiler/pack-postgres.js');
