/** The writer of evaluated strings in a configuration: expressions, and strings and statements with placeholders. */
import { quotedString } from './unseen.js';
import { asWritten, tagOf, type Written } from './written.js';

/** A template literal of an expression; its holes are written expressions. */
export const expression = Object.assign(tagOf<'expression'>(), {
  /** A name without quotes, in either syntax: letters, digits and `_`. */
  word: (name: string): Written<'expression'> => {
    if (!isWord(name)) throw new Error('A name in an expression needs quotes.');
    return asWritten<'expression'>(name);
  },

  /** A name as an argument of Syntax A: `id`, `filter[state]`, `"any name"`. */
  argument: (name: string): Written<'expression'> => {
    return /^\w[\w.-]*(?:\[\w[\w.-]*\])*$/.test(name)
      ? asWritten<'expression'>(name)
      : expression.quoted(name, '"');
  },

  /** A text in quotes. */
  quoted: (text: string, mark: '"' | "'"): Written<'expression'> => {
    const inner = quotedString(text).slice(1, -1);
    return asWritten<'expression'>(
      mark === '"' ? `"${inner}"` : `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`,
    );
  },

  /** A step of a path: `.name`, `['any name']`. */
  step: (name: string): Written<'expression'> => {
    return isWord(name) ? asWritten<'expression'>(`.${name}`) : expression`[${expression.quoted(name, "'")}]`;
  },

  /** The conditions that must all be true. */
  all: (conditions: readonly Written<'expression'>[]): Written<'expression'> => {
    return asWritten<'expression'>(conditions.join(' && '));
  },
});

function isWord(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/** A template literal of a text with placeholders: a message, a header, a URL. Its holes are written texts. */
export const template = Object.assign(tagOf<'template'>(), {
  /** Any text as text: where it has characters of placeholders, all of it is a constant that `literal` writes. */
  text: (text: string, literal: (text: string) => Written<'expression'>): Written<'template'> => {
    return /[[\]{}()]|[:$]$|\b(?:param|body)\.|^\s|\s$|\n/.test(text)
      ? template.placeholder(literal(text))
      : asWritten<'template'>(text);
  },

  /** `:[…]` */
  placeholder: (value: Written<'expression'>): Written<'template'> => {
    return asWritten<'template'>(`:[${value}]`);
  },

  /** The name of a header, which is a token of RFC 9110. */
  headerName: (name: string): Written<'template'> => {
    if (!isToken(name)) throw new Error('This is not the name of a header.');
    return asWritten<'template'>(name);
  },

  /** A part of a URL, percent-encoded: of a path, or a name or value of a query. */
  urlPart: (text: string): Written<'template'> => {
    return asWritten<'template'>(encoded(text));
  },

  /** A part of a URL as a description writes it; characters that no URL has are percent-encoded, and so are brackets and dollar signs. */
  urlPath: (path: string): Written<'template'> => {
    return asWritten<'template'>(path.replaceAll(/[^\w/?.~%!&'()*+,;=:@-]+/g, encoded));
  },
});

/** Half of a surrogate pair cannot be encoded in a URL. */
function encoded(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\ufffd'));
}

/** Whether it can be the name of a header. */
export function isToken(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

/** The characters with which a reference to a variable of the environment begins, which no value of a datasource can have as text. */
export function hasReference(text: string): boolean {
  return text.includes('${');
}
