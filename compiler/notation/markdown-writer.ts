/** Writes Markdown as displayed by GitHub and editors. */
import { replaceUnseen, visible } from './unseen.js';
import { asWritten, tagOf, type Written } from './written.js';

/** Characters that have a meaning in Markdown or HTML anywhere in a line. */
const syntax = /[\\`*_[\]<>#|~&$]/g;

/** Characters that begin a list, heading or quotation at the beginning of a line. */
const atBeginning = /^(?:[-+=](?=[\s=-]|$)|\d+(?=[.)](?:\s|$)))/;

/**
 * Text that GitHub turns into a link, mention or reference even if its characters are escaped, because GitHub examines the displayed text.
 */
const linked = /:\/\/|www\.|mailto:|xmpp:|@\w|#\d|GH-\d|^\W*[0-9a-f]{7,40}\W*$/i;

/** A template literal for Markdown. Substitutions must be Markdown. */
export const markdown = Object.assign(tagOf<'markdown'>(), {
  /** Plain text on one line, also for table cells. Words that GitHub would link are written as code. */
  text: (text: string): Written<'markdown'> => {
    const words = visible(text.replaceAll(/\s+/g, ' '))
      .trim()
      .split(' ')
      .map((word) => (linked.test(word) ? markdown.code(word) : word.replaceAll(syntax, '\\$&')));
    return asWritten<'markdown'>(
      words.join(' ').replace(atBeginning, (found) => (/^\d/.test(found) ? `${found}\\` : `\\${found}`)),
    );
  },

  /** A code span on one line, also for table cells, where a `|` must be a character reference because a backslash does not escape it. */
  code: (text: string): Written<'markdown'> => {
    const line = visible(text);
    if (line.includes('|')) return asWritten<'markdown'>(`<code>${references(line)}</code>`);
    const fence = '`'.repeat(longestTicks(line) + 1);
    const space = /^[` ]|[` ]$/.test(line) ? ' ' : '';
    return asWritten<'markdown'>(line === '' ? '' : `${fence}${space}${line}${space}${fence}`);
  },

  /** A sentence of this package's own documentation, which is already Markdown. */
  documentation: (text: string): Written<'markdown'> => {
    return asWritten<'markdown'>(text);
  },

  /** A file or service name of letters, digits, `-`, `_`, `.` and `/`, also usable as a link target. */
  path: (name: string): Written<'markdown'> => {
    if (!/^[\w./-]+$/.test(name)) throw new Error('This is not a path for Markdown.');
    return asWritten<'markdown'>(name);
  },

  /** A code block whose fence is longer than any fence in the text. */
  block: (text: string, language: '' | 'diff' | 'sh' | 'sql' | 'yaml' | 'ts' = ''): Written<'markdown'> => {
    const shown = replaceUnseen(text, () => '?', '\n\t');
    const fence = '`'.repeat(Math.max(3, longestTicks(shown) + 1));
    return asWritten<'markdown'>(`${fence}${language}\n${shown}\n${fence}`);
  },

  /** A line of a code block whose three-character fence is in a template; the line cannot end the block. */
  blockLine: (text: string): Written<'markdown'> => {
    return asWritten<'markdown'>(visible(text).replace(/^(?=\s*(?:```|~~~))/, '\\'));
  },
});

/** Replaces everything except letters, digits and spaces with character references, which Markdown treats as plain text. */
function references(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} ]/gu, (character) => `&#${character.codePointAt(0) ?? 0};`);
}

function longestTicks(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([found]) => found.length));
}
