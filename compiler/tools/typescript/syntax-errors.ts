/** Syntax errors in user code, as reported by TypeScript. */
import type { Source } from '../../read/source.js';
import { typescript } from './load-typescript.js';

/** A position in a module, starting at 1, and TypeScript's message. */
export interface WrongSyntax {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Errors of modules that are not valid TypeScript: transpiled anyway, they would behave differently. */
export function syntaxErrorsIn({ path, text }: Source): WrongSyntax[] {
  const ts = typescript();
  try {
    const { diagnostics = [] } = ts.transpileModule(text, { fileName: path, reportDiagnostics: true });
    return diagnostics.flatMap(({ file, start = 0, messageText }) => {
      if (file === undefined) return [];
      const { line, character } = file.getLineAndCharacterOfPosition(start);
      const message = ts.flattenDiagnosticMessageText(messageText, ' ');
      return [{ line: line + 1, column: character + 1, message }];
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{ line: 1, column: 1, message: 'The module is nested too deeply.' }];
  }
}
