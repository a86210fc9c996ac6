/** Type-checks generated services under their own strict settings, beside this repository's runtime instead of a copy in each. */
import { join } from 'node:path';
import ts from 'typescript';
import type { GeneratedFile } from '../../compiler/emit/file.js';
import { repository } from './service-fixture.js';

/** Files that are not generated, which all programs of a test share. */
const known = new Map<string, ts.SourceFile | undefined>();

/**
 * What the TypeScript compiler says of the services' own modules: one text for each mistake, none where all is well. It looks at operations and
 * datasources alone, so that thousands of services take seconds.
 */
export function typeErrors(
  services: readonly { readonly name: string; readonly files: readonly GeneratedFile[] }[],
): string[] {
  const base = join(repository, 'dist/test/type-check-only');
  const texts = new Map(
    services.flatMap(({ name, files }) =>
      files
        .filter(({ path }) => /^src\/(?:operations\/|datasources\.ts$)/.test(path))
        .map(({ path, text }) => {
          const depth = '../'.repeat(path.split('/').length + 3);
          return [
            join(base, name, path),
            text.replaceAll(/from '(?:\.\.?\/)+runtime\//g, `from '${depth}runtime/`),
          ] as const;
        }),
    ),
  );
  const options = settingsOf(services[0]?.files ?? []);
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    directoryExists: () => true,
    fileExists: (path) => texts.has(path) || disk.fileExists(path),
    readFile: (path) => texts.get(path) ?? disk.readFile(path),
    getSourceFile: (path, ...more) => {
      const text = texts.get(path);
      if (text !== undefined) return ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
      if (!known.has(path)) known.set(path, disk.getSourceFile(path, ...more));
      return known.get(path);
    },
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return [...texts.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map((one) => {
      const { line } = file?.getLineAndCharacterOfPosition(one.start ?? 0) ?? { line: 0 };
      return `${path.slice(base.length + 1)}:${line + 1} TS${one.code} ${ts.flattenDiagnosticMessageText(one.messageText, ' ')}`;
    });
  });
}

function settingsOf(files: readonly GeneratedFile[]): ts.CompilerOptions {
  const text = files.find(({ path }) => path === 'tsconfig.json')?.text ?? '{}';
  const { compilerOptions } = JSON.parse(text) as { compilerOptions: object };
  const { options } = ts.convertCompilerOptionsFromJson({ ...compilerOptions, noEmit: true }, repository);
  delete options.rootDir;
  delete options.outDir;
  return options;
}
