/** Part of `npm run build`: the package `create-apikiln` in dist/create. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { replaceFile } from './replace-file.mjs';

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
  for (const { text } of outputFiles) replaceFile(join(target, 'create.js'), text);
  for (const name of ['package.json', 'README.md']) copy(join(sources, name), name);
  copy(join(root, 'LICENSE'), 'LICENSE');
}

function copy(path, name) {
  replaceFile(join(target, name), readFileSync(path));
}
