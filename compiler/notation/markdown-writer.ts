/** The writer of Markdown, as GitHub and editors show it. */
import { replaceUnseen, visible } from './unseen.js';
import { asWritten, tagOf, type Written } from './written.js';

/** Characters that begin something in Markdown or HTML, wherever they are in a line. */
const syntax = /[\\`*_[\]<>#|~&$]/g;

/** Characters that begin a list, a heading or a quotation where they begin a line. */
const atBeginning = /^(?:[-+=](?=[\s=-]|$)|\d+(?=[.)](?:\s|$)))/;

/** Words that GitHub makes a link, a mention or a reference of, also where their characters are escaped: it looks at the text that is shown. */
const linked = /:\/\/|www\.|mailto:|xmpp:|@\w|#\d|GH-\d|^\W*[0-9a-f]{7,40}\W*$/i;

/** A template literal of Markdown; its holes are written Markdown. */
export const markdown = Object.assign(tagOf<'markdown'>(), {
  /** Text in one line without any syntax of Markdown, also in a cell of a table. Words that GitHub would link are code. */
  text: (text: string): Written<'markdown'> => {
    const words = visible(text.replaceAll(/\s+/g, ' '))
      .trim()
      .split(' ')
      .map((word) => (linked.test(word) ? markdown.code(word) : word.replaceAll(syntax, '\\$&')));
    return asWritten<'markdown'>(
      words.join(' ').replace(atBeginning, (found) => (/^\d/.test(found) ? `${found}\\` : `\\${found}`)),
    );
  },

  /** A span of code in one line, also in a cell of a table. There no backslash keeps a `|` from ending the cell, but a character reference does. */
  code: (text: string): Written<'markdown'> => {
    const line = visible(text);
    if (line.includes('|')) return asWritten<'markdown'>(`<code>${references(line)}</code>`);
    const fence = '`'.repeat(longestTicks(line) + 1);
    const space = /^[` ]|[` ]$/.test(line) ? ' ' : '';
    return asWritten<'markdown'>(line === '' ? '' : `${fence}${space}${line}${space}${fence}`);
  },

  /** A sentence of this package's own documentation, which is Markdown. */
  documentation: (text: string): Written<'markdown'> => {
    return asWritten<'markdown'>(text);
  },

  /** A name of a file or service of letters, digits, `-`, `_`, `.` and `/`, also as the target of a link. */
  path: (name: string): Written<'markdown'> => {
    if (!/^[\w./-]+$/.test(name)) throw new Error('This is not a path for Markdown.');
    return asWritten<'markdown'>(name);
  },

  /** A block of code, with a fence that is longer than any in it. */
  block: (text: string, language: '' | 'diff' | 'sh' | 'sql' | 'yaml' | 'ts' = ''): Written<'markdown'> => {
    const shown = replaceUnseen(text, () => '?', '\n\t');
    const fence = '`'.repeat(Math.max(3, longestTicks(shown) + 1));
    return asWritten<'markdown'>(`${fence}${language}\n${shown}\n${fence}`);
  },

  /** A line of a block of code whose fence of three is in a template: the line cannot end the block. */
  blockLine: (text: string): Written<'markdown'> => {
    return asWritten<'markdown'>(visible(text).replace(/^(?=\s*(?:```|~~~))/, '\\'));
  },
});

/** Everything but letters, digits and spaces as character references, which are text alone. */
function references(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} ]/gu, (character) => `&#${character.codePointAt(0) ?? 0};`);
}

function longestTicks(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([found]) => found.length));
}
