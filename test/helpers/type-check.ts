/** Type-checks generated services under their own strict settings, beside this repository's runtime instead of a copy in each. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { GeneratedFile } from '../../compiler/emit/file.js';
import { entries } from '../../compiler/emit/runtime-package.js';
import { repository } from './service-fixture.js';

export interface ServiceSource {
  readonly name: string;
  readonly files: readonly GeneratedFile[];
}

/** As the services' package.json has it, `"type": "module"`. */
const moduleFormat: ts.CreateSourceFileOptions = {
  languageVersion: ts.ScriptTarget.ES2023,
  impliedNodeFormat: ts.ModuleKind.ESNext,
};

/** Files that are not generated, which all programs of a test share. */
const known = new Map<string, ts.SourceFile | undefined>();

/**
 * What the TypeScript compiler says of the services' own modules: one text for each mistake, none where all is well. The runtime is checked
 * by the type check of this repository; a service whose copy of it differs is an error of the test.
 */
export function typeErrors(services: readonly ServiceSource[], isChecked = isOwnModule): string[] {
  const base = join(repository, 'dist/test/type-check-only');
  const texts = new Map(
    services.flatMap(({ name, files }) =>
      files.filter(({ path }) => isChecked(path)).map(({ path, text }) => [join(base, name, path), text]),
    ),
  );
  const options = { ...optionsOf(services[0]?.files ?? []), noEmit: true };
  const program = ts.createProgram([...texts.keys()], options, hostOf(texts, options));
  return [...texts.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map((one) => {
      const { line } = file?.getLineAndCharacterOfPosition(one.start ?? 0) ?? { line: 0 };
      return `${path.slice(base.length + 1)}:${line + 1} TS${one.code} ${ts.flattenDiagnosticMessageText(one.messageText, ' ')}`;
    });
  });
}

/** A module that is generated for the one service. */
export function isOwnModule(path: string): boolean {
  return path.endsWith('.ts') && !path.startsWith('runtime/');
}

/** Operations and datasources: enough where thousands of services are checked for what their expressions become. */
export function isOperationOrDatasource(path: string): boolean {
  return /^src\/(?:operations\/|datasources\.ts$)/.test(path);
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
}

/** Finds the services' modules in memory, and `@apikiln/runtime` in this repository. */
function hostOf(texts: ReadonlyMap<string, string>, options: ts.CompilerOptions): ts.CompilerHost {
  const disk = ts.createCompilerHost(options);
  const cache = ts.createModuleResolutionCache(repository, (path) => path, options);
  const host: ts.CompilerHost = {
    ...disk,
    directoryExists: () => true,
    fileExists: (path) => texts.has(path) || disk.fileExists(path),
    readFile: (path) => texts.get(path) ?? disk.readFile(path),
    getSourceFile: (path, ...more) => {
      const text = texts.get(path);
      if (text !== undefined) return ts.createSourceFile(path, text, moduleFormat, true);
      if (!known.has(path)) known.set(path, disk.getSourceFile(path, ...more));
      return known.get(path);
    },
    resolveModuleNameLiterals: (literals, file, redirected, _, source) =>
      literals.map((literal) => {
        const [, part = ''] = /^@apikiln\/runtime(?:\/(.*))?$/.exec(literal.text) ?? [];
        const name = literal.text.startsWith('@apikiln/')
          ? join(repository, 'runtime', part, `${entries[part] ?? 'index'}.js`)
          : literal.text;
        const mode = ts.getModeForUsageLocation(source, literal, options);
        return ts.resolveModuleName(name, file, options, host, cache, redirected, mode);
      }),
  };
  return host;
}

/** The compiler options of the services' own tsconfig.json, with none of its folders. */
export function optionsOf(files: ServiceSource['files']): ts.CompilerOptions {
  const text = files.find(({ path }) => path === 'tsconfig.json')?.text ?? '{}';
  const { compilerOptions = {} } = JSON.parse(text) as { compilerOptions?: object };
  const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, repository);
  delete options.rootDir;
  delete options.outDir;
  return options;
}
