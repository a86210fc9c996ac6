/**
 * `npm run release:pack`: builds, and writes the tarballs of the three packages of a release to dist/release. The same sources give the same
 * bytes on every machine.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import './build.mjs';
import { tarballOf } from './tarball.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'dist/release');

const versions = new Set(
  ['.', 'runtime', 'compiler/tools/create'].map((folder) => manifestIn(folder).version),
);
if (versions.size > 1) throw new Error(`The packages have different versions: ${[...versions].join(', ')}.`);

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const { tarball } = JSON.parse(readFileSync(join(root, 'dist/runtime.json'), 'utf8'));
// In the order in which they are published: each one installs those before it.
release(manifestIn('dist/runtime'), readFileSync(join(root, 'dist', tarball)));
for (const folder of ['.', 'dist/create']) {
  const manifest = manifestIn(folder);
  const files = filesOf(folder).map((path) => [path, readFileSync(join(root, folder, path))]);
  release(manifest, tarballOf(files, new Set(Object.values(manifest.bin))));
}

/** The paths that `npm publish` would pack. */
function filesOf(folder) {
  const npm = process.env.npm_execpath ?? '';
  const [program, ...before] = npm.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const args = [...before, 'pack', '--dry-run', '--json', '--ignore-scripts'];
  const printed = execFileSync(program, args, { cwd: join(root, folder), encoding: 'utf8' });
  const [{ files }] = Object.values(JSON.parse(printed));
  return files.map(({ path }) => path).sort();
}

function release({ name, version }, bytes) {
  const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
  writeFileSync(join(target, file), bytes);
  console.log(`${createHash('sha256').update(bytes).digest('hex')}  ${file}`);
}

function manifestIn(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}
