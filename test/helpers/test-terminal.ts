/** A terminal for tests of commands: checks each printed text for invisible characters. */
import type { Colours } from '../../compiler/notation/screen-writer.js';
import { terminalOf, type Terminal } from '../../compiler/tools/commands/shared/output/terminal.js';

/** Control characters except line breaks, tabs and colour codes; format characters; line and paragraph separators. */
const unseen = /[\p{Cf}\p{Zl}\p{Zp}]|(?![\n\t])\p{Cc}/u;

/** Colour codes, which are allowed. */
const colour = new RegExp(`${String.fromCharCode(27)}\\[\\d{1,2}m`, 'g');

/** `print` and `log` receive each text with a line break at its end. Throws if a text contains invisible or control characters. */
export function testTerminal(
  folder: string,
  print: (text: string) => void,
  log: (text: string) => void = print,
  colours: Colours = terminalOf(process).colours,
): Terminal {
  const looked =
    (put: (text: string) => void) =>
    (text: string): void => {
      const [found] = unseen.exec(text.replaceAll(colour, '')) ?? [];
      if (found !== undefined)
        throw new Error(`U+${found.codePointAt(0)?.toString(16) ?? ''} was printed: ${JSON.stringify(text)}`);
      put(`${text}\n`);
    };
  return { folder, print: looked(print), command: looked(print), log: looked(log), colours };
}
