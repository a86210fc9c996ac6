/**
 * Part of `npm run build`: the `@apikiln/runtime` package in dist/runtime, and its tarball next to it. Each entry point is bundled to one
 * file, with shared code in chunks: services start a sixth faster than with one file per module.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, version as esbuildVersion } from 'esbuild';
import { replaceFile } from './replace-file.mjs';
import { tarballOf } from './tarball.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = join(root, 'runtime');
const target = join(root, 'dist/runtime');

/** Loaded by browsers: bundled to a single file without imports, because services serve only that file. */
const page = 'test-page/page.ts';

/** Started as threads by the modules of a part. */
const threads = ['passwords/hash-thread.ts'];

/** Builds the runtime package unless it is up to date. */
export async function buildRuntime() {
  const files = sourceFiles();
  const key = keyOf(files);
  const noted = join(root, 'dist/runtime.json');
  if (existsSync(noted)) {
    const { key: before, tarball } = JSON.parse(readFileSync(noted, 'utf8'));
    if (before === key && existsSync(join(root, 'dist', tarball))) return;
  }
  const { made, bytes } = await packRuntime(files);
  const { version } = JSON.parse(made.get('package.json'));
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
  const tarball = `apikiln-runtime-${version}-${digest}.tgz`;
  replaceFolder(made);
  replaceFile(join(root, 'dist', tarball), bytes);
  const old = readdirSync(join(root, 'dist')).filter(
    (name) => name.startsWith('apikiln-runtime-') && name !== tarball,
  );
  for (const name of old) rmSync(join(root, 'dist', name));
  replaceFile(noted, JSON.stringify({ key, tarball }));
}

/** All files of the package by path, and their tarball. */
export async function packRuntime(files = sourceFiles()) {
  const made = new Map([...files, ...(await javaScript()), ...declarations()].sort(byPath));
  return { made, bytes: tarballOf(made) };
}

/** Files copied to the package unchanged, by path in the package. */
function sourceFiles() {
  const paths = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'));
  return [
    ['LICENSE', readFileSync(join(root, 'LICENSE'), 'utf8')],
    ['README.md', readFileSync(join(sources, 'README.md'), 'utf8')],
    ['package.json', readFileSync(join(sources, 'package.json'), 'utf8')],
    ...paths.map((path) => [`src/${path}`, readFileSync(join(sources, path), 'utf8')]),
  ];
}

/** A key that changes whenever any input of the package changes. */
function keyOf(files) {
  const typescript = JSON.parse(readFileSync(join(root, 'node_modules/typescript/package.json'), 'utf8'));
  const own = readFileSync(fileURLToPath(import.meta.url), 'utf8');
  return createHash('sha256')
    .update(JSON.stringify([own, esbuildVersion, typescript.version, files.sort(byPath)]))
    .digest('hex');
}

function byPath([a], [b]) {
  return a < b ? -1 : 1;
}

/** The bundled entry points and their shared chunks. Source maps refer to `src`. */
async function javaScript() {
  const { exports } = JSON.parse(readFileSync(join(sources, 'package.json'), 'utf8'));
  const entries = Object.values(exports).flatMap(({ default: path }) =>
    path === undefined ? [] : [path.replace('./dist/', '').replace(/\.js$/, '.ts')],
  );
  // Modules imported for their side effects, which must run before the importing module's packages load; esbuild would place them after.
  const effects = sourceFiles().flatMap(([path, text]) =>
    [...text.matchAll(/^import '(\..+)\.js';$/gm)].map(([, imported]) =>
      join(dirname(path), `${imported}.ts`).replace(/^src[/\\]/, ''),
    ),
  );
  const common = {
    absWorkingDir: sources,
    outbase: '.',
    outdir: join(root, 'dist/runtime/dist'),
    bundle: true,
    format: 'esm',
    sourcemap: 'linked',
    // The package contains the sources.
    sourcesContent: false,
    logLevel: 'warning',
    write: false,
  };
  const [forNode, forBrowsers] = await Promise.all([
    build({
      ...common,
      entryPoints: [...new Set([...entries, ...threads, ...effects])],
      chunkNames: 'shared/[name]-[hash]',
      splitting: true,
      packages: 'external',
      platform: 'node',
      target: 'node20.19',
    }),
    build({ ...common, entryPoints: [page], platform: 'browser', target: 'es2022' }),
  ]);
  return [...forNode.outputFiles, ...forBrowsers.outputFiles].map(({ path, text }) => {
    const below = path.slice(join(root, 'dist/runtime/').length).replaceAll('\\', '/');
    return [below, below.endsWith('.map') ? leadingToSource(text) : text];
  });
}

/** Rewrites source paths: `../../../runtime/sql/each.ts` becomes `../../src/sql/each.ts`. */
function leadingToSource(map) {
  const { sources: paths, ...others } = JSON.parse(map);
  const moved = paths.map((path) => path.replace(/^((?:\.\.\/)*)\.\.\/\.\.\/runtime\//, '$1src/'));
  return JSON.stringify({ ...others, sources: moved });
}

/** The type declarations of all modules, with maps that refer to `src`. */
function declarations() {
  const folder = mkdtempSync(join(root, 'dist/declarations-'));
  try {
    const compilerOptions = {
      noEmit: false,
      emitDeclarationOnly: true,
      declaration: true,
      declarationMap: true,
      rootDir: sources,
      outDir: join(folder, 'types'),
      typeRoots: [join(root, 'node_modules/@types')],
    };
    const project = join(folder, 'tsconfig.json');
    const settings = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [sources] };
    writeFileSync(project, JSON.stringify(settings));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`The runtime has errors of types:\n${stdout}`);
    const paths = readdirSync(join(folder, 'types'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    return paths.map((path) => {
      const below = path.slice(folder.length + 1).replaceAll('\\', '/');
      const text = readFileSync(path, 'utf8');
      return [below, below.endsWith('.map') ? ofDeclaration(text, below) : text];
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Makes the map of `types/sql/each.d.ts` refer to `../../src/sql/each.ts`. */
function ofDeclaration(map, path) {
  const source = path.replace('types/', 'src/').replace(/\.d\.ts\.map$/, '.ts');
  const up = '../'.repeat(path.split('/').length - 1);
  return JSON.stringify({ ...JSON.parse(map), sourceRoot: '', sources: [`${up}${source}`] });
}

/** Replaces the previous build's package by renaming, because a running service may be loading that package. */
function replaceFolder(files) {
  const [fresh, old] = [`${target}.new`, `${target}.old`];
  for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of files) write(join(fresh, path), text);
  if (existsSync(target)) renameSync(target, old);
  renameSync(fresh, target);
  rmSync(old, { recursive: true, force: true });
}

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
