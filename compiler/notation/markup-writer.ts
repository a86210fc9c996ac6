/** Writes HTML and XML. */
import { asWritten, tagOf, type Written } from './written.js';

/** A template literal for HTML. Substitutions must be HTML. */
export const html = Object.assign(tagOf<'html'>(), {
  /** Text for an element, or for an attribute in double quotes. */
  text: (text: string): Written<'html'> => {
    return asWritten<'html'>(escaped(text));
  },
});

/** A template literal for XML. Substitutions must be XML. */
export const xml = Object.assign(tagOf<'xml'>(), {
  /** Text for an element. */
  text: (text: string): Written<'xml'> => {
    return asWritten<'xml'>(withoutCommands(escaped(text)).replaceAll('\r', '&#13;'));
  },

  /** An attribute value, including quotes. */
  attribute: (text: string): Written<'xml'> => {
    return asWritten<'xml'>(
      `"${withoutCommands(escaped(text)).replaceAll(/[\n\r\t]/g, (space) => `&#${space.charCodeAt(0)};`)}"`,
    );
  },
});

/**
 * Escapes GitHub workflow commands: a runner recognizes `::` at the beginning of a line and `##[` anywhere. XML parsers see the same text.
 */
function withoutCommands(text: string): string {
  return text.replaceAll(/^([^\S\r\n]*):(?=:)/gm, '$1&#58;').replaceAll('##[', '#&#35;[');
}

/**
 * Escapes the text. Control characters and unpaired surrogates, which XML cannot contain, are replaced, and so are characters that change
 * the writing direction.
 */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\P{Cc}\n\r\t]|[\p{Cs}\p{Cf}\u2028\u2029\ufffe\uffff]/gu, '�')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
