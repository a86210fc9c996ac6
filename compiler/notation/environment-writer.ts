/**
 * Writes environment files: `.env`, which services read, and files for `docker --env-file`. For the format see `readEnvFile` in
 * runtime/server/environment.ts.
 */
import { referencesIn } from '../../runtime/server/environment-reference.js';
import { escapeOf, hasUnseen, inOneLine, replaceUnseen } from './unseen.js';
import { asWritten, tagOf, type Written } from './written.js';

const bare = /^[A-Za-z0-9_./:@%+,=?&~-]*$/;

/** A template literal for environment files. Substitutions must be in the same notation. */
export const environment = Object.assign(tagOf<'environment'>(), {
  /** A string as a value in `.env`; references to other variables are preserved. */
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

  /** A value for `docker --env-file`, which does not support quotes; empty unless the value is a single line of visible characters. */
  dockerValue: (text: string): Written<'environment'> => {
    return asWritten<'environment'>(hasUnseen(text) ? '' : text);
  },

  /** The name of a variable: letters, digits and underscores. */
  variable: (name: string): Written<'environment'> => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new Error('This is not the name of a variable.');
    return asWritten<'environment'>(name);
  },

  /** The text of a comment, on one line and without the `#`. */
  comment: (text: string): Written<'environment'> => {
    return asWritten<'environment'>(inOneLine(text));
  },
});

function escaped(text: string): string {
  return replaceUnseen(text.replaceAll(/[\\"$]/g, '\\$&'), escapeOf);
}
