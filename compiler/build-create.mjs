/** Part of `npm run build`: the package `create-apikiln` in dist/create. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = join(root, 'compiler/tools/create');
const target = join(root, 'dist/create');

export async function buildCreate() {
  const { outputFiles } = await build({
    absWorkingDir: sources,
    entryPoints: ['create.ts'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
    write: false,
  });
  mkdirSync(target, { recursive: true });
  for (const { text } of outputFiles) writeFileSync(join(target, 'create.js'), text);
  for (const name of ['package.json', 'README.md']) copy(join(sources, name), name);
  copy(join(root, 'LICENSE'), 'LICENSE');
}

function copy(path, name) {
  writeFileSync(join(target, name), readFileSync(path));
}
