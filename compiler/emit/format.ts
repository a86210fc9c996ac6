/** Prettier, with the one set of options of all generated code. */
import type { Options } from 'prettier';
import * as babel from 'prettier/plugins/babel';
import * as estree from 'prettier/plugins/estree';
import { format } from 'prettier/standalone';
import type { Memory } from './memory.js';

/** Makes generated TypeScript texts readable, in the order given. Every way to do it gives the same texts. */
export type Format = (texts: readonly string[]) => Promise<readonly string[]>;

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

/** Here, one after the other: prettier would hold the trees of all of them otherwise. */
export const formatInOrder: Format = async (texts) => {
  const formatted: string[] = [];
  for (const text of texts) formatted.push(await formatTypeScript(text));
  return formatted;
};

/** The same texts, where those that an earlier build has formatted are not formatted again. */
export function remembering(memory: Memory['formatted'], formatOthers: Format): Format {
  return async (texts) => {
    const unknown = [...new Set(texts)].filter((text) => memory.get(text) === undefined);
    const formatted = await formatOthers(unknown);
    unknown.forEach((text, index) => {
      memory.set(text, formatted[index] ?? '');
    });
    return texts.map((text) => memory.get(text) ?? '');
  };
}
