/** Mistakes in the syntax of user code, in the words of TypeScript. */
import type { Source } from '../../read/source.js';
import { typescript } from './load-typescript.js';

/** A position in a module, from 1, and what TypeScript says of it. */
export interface WrongSyntax {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Where the text of a module is no TypeScript: translated all the same, it would do something else. */
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
