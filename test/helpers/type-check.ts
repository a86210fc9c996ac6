/** Type-checks generated services under their own strict settings, beside this repository's runtime instead of a copy in each. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect } from 'vitest';
import { entries } from '../../compiler/generate/emit/service/runtime-package.js';
import { repository } from './service-fixture.js';

export interface ServiceSource {
  readonly name: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

/** `@apikiln/runtime` in this repository. */
const runtimePaths: Readonly<Record<string, readonly string[]>> = {
  '@apikiln/runtime': [join(repository, 'runtime/index.ts')],
  ...Object.fromEntries(
    Object.entries(entries).map(([name, module]) => [
      `@apikiln/runtime/${name}`,
      [join(repository, 'runtime', `${module}.ts`)],
    ]),
  ),
};

/**
 * Errors of the TypeScript compiler in the services' own modules: one string for each. The runtime is checked
 * by the type check of this repository; a service whose copy of it differs is an error of the test.
 */
export function typeErrors(services: readonly ServiceSource[], isChecked = isOwnModule): string[] {
  mkdirSync(join(repository, 'dist/test'), { recursive: true });
  const base = mkdtempSync(join(repository, 'dist/test/type-check-'));
  try {
    const paths = services.flatMap(({ name, files }) =>
      files
        .filter(({ path }) => isChecked(path))
        .map(({ path, text }) => {
          write(join(base, name, path), text);
          return `./${name}/${path}`;
        }),
    );
    if (paths.length === 0) return [];
    const options = Object.entries(optionsOf(services[0]?.files ?? [])).filter(
      ([name]) => !['rootDir', 'outDir', 'tsBuildInfoFile'].includes(name),
    );
    const compilerOptions = { ...Object.fromEntries(options), paths: runtimePaths };
    write(join(base, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: paths }));
    return compilerErrors(base, join(base, 'tsconfig.json'));
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** The output of `tsc` for the project, with paths from the folder: `src/main.ts:3 TS2322 Type …`. Throws if it does not end by itself. */
export function compilerErrors(folder: string, project: string): string[] {
  const tsc = join(repository, 'node_modules/typescript/bin/tsc');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [tsc, '--noEmit', '--pretty', 'false', '-p', project],
    // A larger heap for less processor time.
    { cwd: folder, encoding: 'utf8', maxBuffer: 1e9, env: { ...process.env, GOGC: '400' } },
  );
  const found = [
    ...stdout.matchAll(/^([^\s(][^(\n]*)\((\d+),\d+\): error (TS\d+): ([^\n]*(?:\n\s+[^\n]*)*)/gm),
  ];
  const printed = found.map(([, path = '', line, code, text = '']) => {
    const from = relative(folder, join(folder, path));
    return `${from}:${line ?? ''} ${code ?? ''} ${text.replaceAll(/\n\s+/g, ' ')}`;
  });
  if (status === null || (status === 0) !== (printed.length === 0)) throw new Error(`${stdout}\n${stderr}`);
  return printed;
}

/** A module that is generated for the one service. */
export function isOwnModule(path: string): boolean {
  return path.endsWith('.ts') && !path.startsWith('runtime/');
}

/** Operations and datasources: enough where thousands of services are checked for what their expressions become. */
export function isOperationOrImport(path: string): boolean {
  return /^src\/(?:operations\/|code\/|(?:datasources|described|env|functions)\.ts$)/.test(path);
}

/** Throws where a service's copy of the runtime is not the runtime, or more than a part of an index. */
export function expectSameRuntime(services: readonly ServiceSource[]): void {
  const files = services.flatMap(({ files }) => files.filter(({ path }) => path.startsWith('runtime/src/')));
  for (const { path, text } of new Map(files.map((file) => [`${file.path} ${file.text}`, file])).values()) {
    const original = readFileSync(join(repository, path.replace('/src/', '/')), 'utf8');
    const lines = new Set(original.split('\n'));
    const isSame = path.endsWith('index.ts')
      ? text.split('\n').every((line) => lines.has(line))
      : text === original;
    if (!isSame) throw new Error(`${path} differs`);
  }
  expect(files.length).toBeGreaterThan(0);
}

/** The compiler options of the services' own tsconfig.json. */
export function optionsOf(files: ServiceSource['files']): Readonly<Record<string, unknown>> {
  const text = files.find(({ path }) => path === 'tsconfig.json')?.text ?? '{}';
  const { compilerOptions = {} } = JSON.parse(text) as {
    compilerOptions?: Readonly<Record<string, unknown>>;
  };
  return compilerOptions;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
