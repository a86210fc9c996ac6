/** Writes JSON. */
import { escapeOf, replaceUnseen, withoutCommands } from './unseen.js';
import { asWritten, type Written } from './written.js';

export const json = {
  /** A file that consists of a JSON value and a final line break. */
  file: (value: unknown): Written<'json'> => {
    return asWritten<'json'>(`${json.value(value, 2)}\n`);
  },

  /** Any JSON value, with invisible characters escaped. `indent` is the number of spaces per level; a single line if undefined. */
  value: (value: unknown, indent?: number): Written<'json'> => {
    const text = JSON.stringify(value, null, indent);
    return asWritten<'json'>(withoutCommands(replaceUnseen(text, escapeOf, '\n')));
  },

  /** JSON of another program on a single line, with all digits of its numbers. */
  line: (text: string): Written<'json'> => {
    return asWritten<'json'>(replaceUnseen(text.trim().replaceAll(/[\r\n\t]+/g, ' '), escapeOf));
  },
};
