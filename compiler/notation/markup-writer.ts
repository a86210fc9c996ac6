/** The writers of HTML and XML. */
import { asWritten, tagOf, type Written } from './written.js';

/** A template literal of HTML; its holes are written HTML. */
export const html = Object.assign(tagOf<'html'>(), {
  /** Text of an element, or of an attribute in double quotes. */
  text: (text: string): Written<'html'> => {
    return asWritten<'html'>(escaped(text));
  },
});

/** A template literal of XML; its holes are written XML. */
export const xml = Object.assign(tagOf<'xml'>(), {
  /** Text of an element. */
  text: (text: string): Written<'xml'> => {
    return asWritten<'xml'>(withoutCommands(escaped(text)).replaceAll('\r', '&#13;'));
  },

  /** The value of an attribute, with its quotes. */
  attribute: (text: string): Written<'xml'> => {
    return asWritten<'xml'>(
      `"${withoutCommands(escaped(text)).replaceAll(/[\n\r\t]/g, (space) => `&#${space.charCodeAt(0)};`)}"`,
    );
  },
});

/** A runner of GitHub finds `::` at the beginning of a line, and `##[` anywhere; readers of XML get the same text. */
function withoutCommands(text: string): string {
  return text.replaceAll(/^([^\S\r\n]*):(?=:)/gm, '$1&#58;').replaceAll('##[', '#&#35;[');
}

/** XML cannot contain control characters and halves of surrogate pairs; characters that change the writing direction are replaced, too. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\P{Cc}\n\r\t]|[\p{Cs}\p{Cf}\u2028\u2029\ufffe\uffff]/gu, '�')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
