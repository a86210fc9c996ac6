/** Prettier, with the one set of options of all generated code. */
import { format, type Options } from 'prettier';

const options: Options = {
  printWidth: 100,
  singleQuote: true,
  trailingComma: 'all',
  embeddedLanguageFormatting: 'off',
};

export function formatTypeScript(text: string): Promise<string> {
  return format(text, { ...options, parser: 'typescript' });
}
