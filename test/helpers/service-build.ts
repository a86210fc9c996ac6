/** Builds generated services for tests: type-checks them, and writes them below `dist`, where they find this package's dependencies. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { transformSync, version, type TransformOptions } from 'esbuild';
import { linkRuntime } from '../tasks/link-runtime.mjs';
import { repository } from './service-fixture.js';
import { optionsOf, typeErrors, type ServiceSource } from './type-check.js';

/**
 * Writes, type-checks and transpiles the services with their own tsconfig.json. Returns the folder of each service, including `dist`.
 * Throws the output of the TypeScript compiler if there is any.
 */
export function buildServices(group: string, services: readonly ServiceSource[]): Map<string, string> {
  const problems = typeErrors(services);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return translateServices(group, services);
}

/** Writes and transpiles the services without a type check: for tests of behaviour, if another test type-checks the same services. */
export function translateServices(group: string, services: readonly ServiceSource[]): Map<string, string> {
  const base = join(repository, 'dist/test', group);
  rmSync(base, { recursive: true, force: true });
  const compilerOptions = optionsOf(services[0]?.files ?? []);
  // `npm run coverage` maps executed code to the sources.
  const sourcemap = process.env['NODE_V8_COVERAGE'] === undefined ? false : 'inline';
  const options: TransformOptions = {
    loader: 'ts',
    format: 'esm',
    tsconfigRaw: { compilerOptions },
    sourcemap,
  };
  for (const { name, files } of services) {
    linkRuntime(join(base, name));
    for (const { path, text } of files) {
      write(join(base, name, path), text);
      if (!path.endsWith('.ts')) continue;
      write(
        join(base, name, path.replace(/^src\//, 'dist/').replace(/\.ts$/, '.js')),
        translated(text, { ...options, ...(sourcemap && { sourcefile: basename(path) }) }),
      );
    }
  }
  return new Map(services.map(({ name }) => [name, join(base, name)]));
}

const translations = join(repository, 'node_modules/.cache/apikiln/translated');
const seen = new Map<string, string>();

/** The JavaScript of a module. esbuild needs a tenth of the time of the TypeScript compiler. The result is cached on disk. */
function translated(text: string, options: TransformOptions): string {
  const key = createHash('sha256')
    .update(JSON.stringify([version, options, text]))
    .digest('hex');
  const path = join(translations, key);
  const kept = seen.get(key) ?? (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  const code = kept ?? transformSync(text, options).code;
  if (kept === undefined) {
    // Another process may write the same file.
    write(`${path}.${process.pid}`, code);
    renameSync(`${path}.${process.pid}`, path);
  }
  seen.set(key, code);
  return code;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
