/** The writer of JSON. */
import { escapeOf, replaceUnseen, withoutCommands } from './unseen.js';
import { asWritten, type Written } from './written.js';

export const json = {
  /** A file with a JSON value, and a line break at its end. */
  file: (value: unknown): Written<'json'> => {
    return asWritten<'json'>(`${json.value(value, 2)}\n`);
  },

  /** Any JSON value. Characters that nobody sees are escaped. `indent`: spaces for each level; on one line without it. */
  value: (value: unknown, indent?: number): Written<'json'> => {
    const text = JSON.stringify(value, null, indent);
    return asWritten<'json'>(withoutCommands(replaceUnseen(text, escapeOf, '\n')));
  },
};
