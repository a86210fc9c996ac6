/** Prettier, with the one set of options of all generated code. */
import type { Options } from 'prettier';
import * as babel from 'prettier/plugins/babel';
import * as estree from 'prettier/plugins/estree';
import { format } from 'prettier/standalone';
import type { Memory } from './memory.js';

// Babel reads TypeScript in half the time of TypeScript's own parser; what prettier prints is the same.
const options: Options = {
  parser: 'babel-ts',
  plugins: [babel, estree],
  printWidth: 100,
  singleQuote: true,
  trailingComma: 'all',
  embeddedLanguageFormatting: 'off',
};

export function formatTypeScript(text: string): Promise<string> {
  return format(text, options);
}

/** All of them, except those that an earlier build has formatted; one after the other, or prettier would hold the trees of all. */
export async function formatAll(texts: readonly string[], memory: Memory['formatted']): Promise<string[]> {
  const formatted: string[] = [];
  for (const text of texts) {
    const known = memory.get(text) ?? (await formatTypeScript(text));
    memory.set(text, known);
    formatted.push(known);
  }
  return formatted;
}
