/** Type-checks generated services with their own strict settings and this repository's runtime. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { repository } from './service-fixture.js';

export interface ServiceSource {
  readonly name: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

/** `@apikiln/runtime` in this repository: the source file of each export. */
export const runtimePaths: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(runtimeExports()).flatMap(([name, target]) =>
    typeof target === 'string'
      ? []
      : [
          [
            `@apikiln/runtime${name.slice(1)}`,
            [join(repository, 'runtime', sourceOf(target.types))],
          ] as const,
        ],
  ),
);

function runtimeExports(): Readonly<Record<string, string | { readonly types: string }>> {
  const text = readFileSync(join(repository, 'runtime/package.json'), 'utf8');
  return (JSON.parse(text) as { exports: Readonly<Record<string, string | { readonly types: string }>> })
    .exports;
}

/** For example, `./types/sql/each.d.ts` → `sql/each.ts`. */
function sourceOf(types: string): string {
  return types.replace('./types/', '').replace(/\.d\.ts$/, '.ts');
}

/** TypeScript errors in the services' own modules, one string each. The repository's type check covers the runtime. */
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
      ([name]) => !['rootDir', 'outDir', 'incremental', 'tsBuildInfoFile'].includes(name),
    );
    const compilerOptions = { ...Object.fromEntries(options), paths: runtimePaths };
    write(join(base, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: paths }));
    return compilerErrors(base, join(base, 'tsconfig.json'));
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/**
 * The output of `tsc` for the project, with paths relative to the folder: `src/main.ts:3 TS2322 Type …`. Throws if the process is killed.
 */
export function compilerErrors(folder: string, project: string): string[] {
  const tsc = join(repository, 'node_modules/typescript/bin/tsc');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [tsc, '--noEmit', '--pretty', 'false', '-p', project],
    // Use a larger heap to save processor time.
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

/** A module generated for a specific service. */
export function isOwnModule(path: string): boolean {
  return path.endsWith('.ts');
}

/** Operations and the modules they import: sufficient when thousands of services are checked for the code of their expressions. */
export function isOperationOrImport(path: string): boolean {
  return /^src\/(?:operations\/|code\/|(?:datasources|described|env|functions)\.ts$)/.test(path);
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
