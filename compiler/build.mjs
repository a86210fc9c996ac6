/**
 * `npm run build`: bundles the compiler to dist/compiler, with one file per command plus shared chunks, and builds the packages
 * `@apikiln/runtime` and `create-apikiln`.
 * Node loads files one by one: unbundled, with 600 modules, a small build would take a third longer.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { isolatedDeclarationSync } from 'oxc-transform';
// Before everything else is read or written.
import './build-lock.mjs';
import { buildCreate } from './build-create.mjs';
import { buildRuntime } from './build-runtime.mjs';
import { buildPostgres } from './pack-postgres.mjs';
import { replaceFile } from './replace-file.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = join(root, 'dist/compiler');

const { outputFiles } = await build({
  absWorkingDir: join(root, 'compiler'),
  // The program, a thread of the program, and the library.
  entryPoints: ['cli.ts', 'analyze/database/embedded/postgres-thread.ts', 'library.ts'],
  entryNames: '[name]',
  outdir,
  bundle: true,
  splitting: true,
  packages: 'external',
  // The parts of the formatters that format TypeScript: a tenth of their packages.
  alias: {
    oxfmt: join(root, 'node_modules/oxfmt/dist/index.js'),
    ...Object.fromEntries(
      ['standalone', 'plugins/babel', 'plugins/estree'].map((part) => [
        `prettier/${part}`,
        join(root, `node_modules/prettier/${part}.mjs`),
      ]),
    ),
  },
  plugins: [{ name: 'only-typescript', setup: withoutOtherLanguages }],
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // `npm run coverage` maps running code to the sources.
  sourcemap: process.env.NODE_V8_COVERAGE !== undefined,
  logLevel: 'warning',
  write: false,
});
const files = [
  ...outputFiles.map(({ path, text }) => [basename(path), text]),
  ...['oxfmt', 'prettier'].map((name) => [`${name}.LICENSE.md`, licencesOf(name)]),
];
mkdirSync(outdir, { recursive: true });
const before = new Set(readdirSync(outdir));
for (const [name, text] of files) {
  before.delete(name);
  replaceFile(join(outdir, name), text);
}
// The packed PostgreSQL takes seconds to create, so it is kept.
for (const name of before) if (!name.endsWith('.tar.gz')) rmSync(join(outdir, name), { recursive: true });
declareLibrary();
await buildRuntime();
await buildCreate();
buildPostgres();

/** Oxfmt loads a copy of prettier for other languages, which is left out. */
function withoutOtherLanguages({ onResolve }) {
  onResolve({ filter: /^\.\// }, ({ importer, kind, path }) =>
    kind === 'dynamic-import' && /[\\/]oxfmt[\\/]dist[\\/]apis-/.test(importer)
      ? { path, external: true }
      : undefined,
  );
}

/** The licence of a package that is bundled, and those of the packages that it contains. */
function licencesOf(name) {
  return ['LICENSE', 'THIRD-PARTY-NOTICES.md']
    .map((file) => join(root, 'node_modules', name, file))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

/** The type declarations of the library: those of the modules whose types it exports. */
function declareLibrary() {
  for (const path of ['library', 'read/diagnostics/print/json-diagnostic']) {
    const { code, errors } = isolatedDeclarationSync(
      `${path}.ts`,
      readFileSync(join(root, `compiler/${path}.ts`), 'utf8'),
    );
    if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
    replaceFile(join(root, `dist/types/${path}.d.ts`), code);
  }
}
