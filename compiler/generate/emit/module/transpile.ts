/** Generated TypeScript as JavaScript, module by module, for a service that runs at once. ts-morph brings the compiler. */
import { createRequire } from 'node:module';
import type * as tsMorph from 'ts-morph';
export type { ts } from 'ts-morph';
import type { GeneratedFile } from './file.js';

/** Required: for an `import` Node reads the whole of TypeScript once more to find its exports, a tenth of a small build. */
export const { ts: typescript } = createRequire(import.meta.url)('ts-morph') as typeof tsMorph;

/** Of TypeScript: another one may write other JavaScript. */
export const compilerVersion = typescript.version;

/**
 * The modules of the service and of its runtime as in the folders `dist` after a build, each with its source map, unless `withMaps` is false.
 * Types are not checked: generated code has no type errors.
 */
export function transpile(
  files: readonly GeneratedFile[],
  withMaps = true,
): { readonly path: string; readonly text: string }[] {
  const compilerOptions: tsMorph.ts.CompilerOptions = {
    target: typescript.ScriptTarget.ES2023,
    module: typescript.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    sourceMap: withMaps,
    inlineSources: withMaps,
  };
  return files
    .filter(({ path }) => path.endsWith('.ts'))
    .flatMap(({ path, text }) => {
      const { outputText, sourceMapText = '' } = typescript.transpileModule(text, {
        fileName: path,
        compilerOptions,
      });
      const target = path.replace(/^(runtime\/)?src\//, '$1dist/').replace(/\.ts$/, '.js');
      return [
        { path: target, text: outputText },
        ...(withMaps ? [{ path: `${target}.map`, text: sourceMapText }] : []),
      ];
    });
}

/** A position in a module, from 1, and what TypeScript says of it. */
export interface WrongSyntax {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Where the text of a module is no TypeScript: translated all the same, it would do something else. */
export function syntaxErrorsIn({ path, text }: GeneratedFile): WrongSyntax[] {
  const { diagnostics = [] } = typescript.transpileModule(text, { fileName: path, reportDiagnostics: true });
  return diagnostics.flatMap(({ file, start = 0, messageText }) => {
    if (file === undefined) return [];
    const { line, character } = file.getLineAndCharacterOfPosition(start);
    const message = typescript.flattenDiagnosticMessageText(messageText, ' ');
    return [{ line: line + 1, column: character + 1, message }];
  });
}
