/** Bundles the playground: the page, the worker that compiles, the worker in which the service runs, and the one that keeps all files. Needs `npm run build` before. */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from '../../node_modules/esbuild/lib/main.js';
import { examples } from './examples.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const repository = join(here, '../..');

/** Modules of Node, by the file that has their exports. */
const nodeModules = {
  ...{ crypto: 'crypto', http: 'http', net: 'net', path: 'path' },
  worker_threads: 'worker-threads',
};

/** Modules of the compiler that need a file system, threads or servers. */
const replaced = ['disk-cache', 'ask-server', 'packed-postgres', 'thread-client'];

/** Parts of the runtime that need a network, packages that need one, or another database. */
const absentParts =
  /^\.\/(?:mysql|rest|described-responses|smtp|tested-smtp|testing|uploads|knex|schedule|package\.json)$/;

/** The files of PGlite. */
const wasm = ['pglite.wasm', 'pglite.data', 'initdb.wasm'];

/** Writes the page and everything that it loads to the folder. */
export async function buildPlayground(folder) {
  const outdir = join(folder, 'playground');
  mkdirSync(outdir, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: here,
    entryPoints: ['main.ts', 'compiler-worker.ts', 'service-worker.ts'],
    outdir,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    metafile: true,
    logLevel: 'warning',
    legalComments: 'linked',
    // Never loaded: a native program, and branches of PGlite and of packages for Node.
    external: ['oxfmt', 'ws'],
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [{ name: 'browser', setup: inBrowser }],
  });
  const pglite = join(repository, 'node_modules/@electric-sql/pglite');
  for (const name of wasm) copyFileSync(join(pglite, 'dist', name), join(outdir, name));
  const { version } = JSON.parse(readFileSync(join(pglite, 'package.json'), 'utf8'));
  copyFileSync(join(repository, `dist/compiler/postgres-${version}.tar.gz`), join(outdir, 'postgres.bin'));
  writeFileSync(join(outdir, 'assets.json'), JSON.stringify(assets()));
  writeFileSync(join(outdir, 'examples.json'), JSON.stringify(examples(repository)));
  copyFileSync(join(here, 'playground.css'), join(outdir, 'playground.css'));
  copyFileSync(join(here, 'index.html'), join(folder, 'index.html'));
  const modules = Object.keys(metafile.outputs).filter((path) => path.endsWith('.js'));
  await buildOffline(folder, [
    ...modules.map((path) => basename(path)),
    ...wasm,
    ...['postgres.bin', 'assets.json', 'examples.json', 'playground.css'],
  ]);
}

/** `names`: the files of the folder `playground` that the page can load. */
async function buildOffline(folder, names) {
  const digest = (path, encoding) =>
    createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest(encoding);
  const paths = names.map((name) => `playground/${name}`).sort();
  const files = Object.fromEntries(paths.map((path) => [path, `sha256-${digest(path, 'base64')}`]));
  // The page itself is the empty path.
  files[''] = `sha256-${digest('index.html', 'base64')}`;
  const name = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16);
  await build({
    absWorkingDir: here,
    entryPoints: ['offline.ts'],
    format: 'iife',
    outdir: folder,
    minify: true,
    target: 'es2022',
    logLevel: 'warning',
    define: { build: JSON.stringify({ name, files }) },
  });
}

function inBrowser({ onResolve, onLoad }) {
  onResolve(
    {
      filter:
        /^(?:node:)?(?:assert|async_hooks|buffer|child_process|cluster|crypto|diagnostics_channel|dns|events|fs|fs\/promises|http|https|module|net|os|path|perf_hooks|stream|timers\/promises|tls|url|util|util\/types|v8|worker_threads|zlib)$/,
    },
    ({ path, importer }) => {
      const name = path.replace(/^node:/, '');
      // The packages of these names have what the modules of Node have.
      if ((name === 'buffer' || name === 'events') && !path.startsWith('node:'))
        return { path: join(here, '..', 'node_modules', name, name === 'buffer' ? 'index.js' : 'events.js') };
      if (name === 'events' && importer !== '')
        return { path: join(here, '../node_modules/events/events.js') };
      return { path: join(here, 'node', `${nodeModules[name] ?? 'others'}.ts`) };
    },
  );
  onResolve(
    { filter: /^(?:knex|multer|mysql2|nodemailer|pgpass|swagger-ui-dist|pg-cloudflare)(?:\/|$)/ },
    () => ({
      path: join(here, 'node/absent.cjs'),
    }),
  );
  onResolve({ filter: /^(?:axios|pino)$/ }, ({ path }) => ({ path: join(here, `node/${path}.ts`) }));
  onResolve({ filter: /^runtime-parts$/ }, () => ({ path: 'runtime-parts', namespace: 'parts' }));
  onLoad({ filter: /./, namespace: 'parts' }, () => ({ contents: runtimeParts(), resolveDir: repository }));
  onResolve({ filter: /\.js$/ }, ({ path, importer }) => {
    if (!importer.startsWith(join(repository, 'compiler/'))) return undefined;
    const name = replaced.find((one) => path.endsWith(`/${one}.js`));
    if (name !== undefined) return { path: join(here, 'compiler', `${name}.ts`) };
    return path.endsWith('/embedded-postgres.js')
      ? { path: join(here, 'compiler/embedded-postgres.ts') }
      : undefined;
  });
}

/** A module that loads each part of the runtime that runs here, by its name. */
function runtimeParts() {
  const { exports } = JSON.parse(readFileSync(join(repository, 'runtime/package.json'), 'utf8'));
  const lines = Object.entries(exports).flatMap(([name, { default: file = '' }]) =>
    absentParts.test(name)
      ? []
      : [`  '@apikiln/runtime${name.slice(1)}': () => import('./runtime/${file.replace('./dist/', '')}'),`],
  );
  return `export const runtimeParts = {\n${lines.join('\n')}\n};\n`;
}

/** The assets of the compiler without the bytes of the runtime's archive. */
function assets() {
  const { tarball } = JSON.parse(readFileSync(join(repository, 'dist/runtime.json'), 'utf8'));
  const manifest = JSON.parse(readFileSync(join(repository, 'runtime/package.json'), 'utf8'));
  const { version, license, engines, peerDependencies, peerDependenciesMeta } = manifest;
  const folder = join(repository, 'templates');
  const templates = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !/^(?:explanations|starter|login|dev)\/|\.schema\.json$|^packages\.json$/.test(path));
  return {
    runtime: {
      name: tarball,
      bytes: '',
      integrity: 'sha512-',
      manifest: { version, license, engines, peerDependencies, peerDependenciesMeta },
    },
    packages: JSON.parse(readFileSync(join(folder, 'packages.json'), 'utf8')),
    templates: Object.fromEntries(templates.map((path) => [path, readFileSync(join(folder, path), 'utf8')])),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? join(here, '../dist/site');
  mkdirSync(dirname(folder), { recursive: true });
  await buildPlayground(folder);
}
