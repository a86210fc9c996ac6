/** Prettier with the layout of generated code. */
import * as babel from 'prettier/plugins/babel';
import * as estree from 'prettier/plugins/estree';
import { format } from 'prettier/standalone';
import { layout } from './layout.js';

export function formatTypeScript(text: string): Promise<string> {
  // The Babel parser takes half the time of TypeScript's parser, with the same output.
  return format(text, { parser: 'babel-ts', plugins: [babel, estree], ...layout });
}
