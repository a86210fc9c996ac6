/** Builds generated services for tests: writes them below `dist`, so that they find this package's dependencies, and compiles them in one go. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import type { GeneratedFile } from '../../compiler/emit/file.js';
import { repository } from './service-fixture.js';

export interface ServiceSource {
  readonly name: string;
  readonly files: readonly GeneratedFile[];
}

/**
 * Writes and type-checks the services under the settings of their own tsconfig.json.
 * Gives the folder of each, with `dist` in it. Throws what the TypeScript compiler says when it says anything.
 */
export function buildServices(group: string, services: readonly ServiceSource[]): Map<string, string> {
  const base = join(repository, 'dist/test', group);
  rmSync(base, { recursive: true, force: true });
  const folders = new Map(services.map(({ name }) => [name, join(base, name)]));
  const roots = services.flatMap(({ name, files }) => writeService(join(base, name), files));
  const [first] = services;
  if (first === undefined) return folders;
  const program = ts.createProgram(roots, { ...settingsOf(first.files), rootDir: base, outDir: base });
  const problems = ts.getPreEmitDiagnostics(program);
  if (problems.length > 0) throw new Error(ts.formatDiagnostics(problems, formatHost));
  program.emit(undefined, (path, text) => {
    const target = path.replace(/\/src\//, '/dist/');
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  });
  return folders;
}

/** Writes the services and translates them without a type check: for tests of what runs, where another test type-checks the same. */
export function translateServices(group: string, services: readonly ServiceSource[]): Map<string, string> {
  const base = join(repository, 'dist/test', group);
  rmSync(base, { recursive: true, force: true });
  const settings = services[0] === undefined ? {} : settingsOf(services[0].files);
  const compilerOptions = { ...settings, module: ts.ModuleKind.ESNext };
  // Most files are those of the runtime, the same in all services.
  const translated = new Map<string, string>();
  for (const { name, files } of services) {
    writeService(join(base, name), files);
    for (const { path, text } of files.filter((file) => file.path.endsWith('.ts'))) {
      const known = translated.get(text) ?? ts.transpileModule(text, { compilerOptions }).outputText;
      translated.set(text, known);
      const target = join(base, name, path.replace(/^src\//, 'dist/').replace(/\.ts$/, '.js'));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, known);
    }
  }
  return new Map(services.map(({ name }) => [name, join(base, name)]));
}

function writeService(folder: string, files: readonly GeneratedFile[]): string[] {
  for (const { path, text } of files) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  return files.filter(({ path }) => path.endsWith('.ts')).map(({ path }) => join(folder, path));
}

function settingsOf(files: readonly GeneratedFile[]): ts.CompilerOptions {
  const text = files.find(({ path }) => path === 'tsconfig.json')?.text ?? '{}';
  const { compilerOptions } = JSON.parse(text) as { compilerOptions: unknown };
  const { options, errors } = ts.convertCompilerOptionsFromJson(compilerOptions, repository);
  if (errors.length > 0) throw new Error(ts.formatDiagnostics(errors, formatHost));
  return options;
}

const formatHost: ts.FormatDiagnosticsHost = {
  getCurrentDirectory: () => repository,
  getCanonicalFileName: (path) => path,
  getNewLine: () => '\n',
};
