/** The writer of JSON. */
import { escapeOf, replaceUnseen } from './unseen.js';
import { asWritten, type Written } from './written.js';

/** A workflow command of GitHub Actions in the middle of a line: `##[…]`. */
const command = /##(?=\[)/g;

export const json = {
  /** A file with a JSON value, and a line break at its end. */
  file: (value: unknown): Written<'json'> => {
    return asWritten<'json'>(`${json.value(value, 2)}\n`);
  },

  /** Any JSON value. Characters that nobody sees are escaped. `indent`: spaces for each level; on one line without it. */
  value: (value: unknown, indent?: number): Written<'json'> => {
    const text = JSON.stringify(value, null, indent);
    return asWritten<'json'>(replaceUnseen(text, escapeOf, '\n').replaceAll(command, '#\\u0023'));
  },
};
