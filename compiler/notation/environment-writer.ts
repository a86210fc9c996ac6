/** The writer of files of variables: `.env`, which services read, and files for `docker --env-file`. Format: `readEnvFile` in runtime/server/environment.ts. */
import { referencesIn } from '../../runtime/server/environment-reference.js';
import { escapeOf, hasUnseen, inOneLine, replaceUnseen } from './unseen.js';
import { asWritten, tagOf, type Written } from './written.js';

const bare = /^[A-Za-z0-9_./:@%+,=?&~-]*$/;

/** A template literal of a file of variables; its holes are written parts of one. */
export const environment = Object.assign(tagOf<'environment'>(), {
  /** Any text as a value of `.env`; references to variables stay references. */
  value: (text: string): Written<'environment'> => {
    if (bare.test(text)) return asWritten<'environment'>(text);
    let quoted = '';
    let from = 0;
    for (const { name, fallback, text: whole, start, end } of referencesIn(text)) {
      quoted += escaped(text.slice(from, start));
      const head = `\${${name}:`;
      quoted += fallback === undefined ? whole : `${head}${escaped(whole.slice(head.length, -1))}}`;
      from = end;
    }
    return asWritten<'environment'>(`"${quoted}${escaped(text.slice(from))}"`);
  },

  /** A value for `docker --env-file`, which does not support quotes: empty if the value is not one line of visible text. */
  dockerValue: (text: string): Written<'environment'> => {
    return asWritten<'environment'>(hasUnseen(text) ? '' : text);
  },

  /** The name of a variable: capitals, digits and underscores. */
  variable: (name: string): Written<'environment'> => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new Error('This is not the name of a variable.');
    return asWritten<'environment'>(name);
  },

  /** The text of a comment without its `#`, in one line. */
  comment: (text: string): Written<'environment'> => {
    return asWritten<'environment'>(inOneLine(text));
  },
});

function escaped(text: string): string {
  return replaceUnseen(text.replaceAll(/[\\"$]/g, '\\$&'), escapeOf);
}
