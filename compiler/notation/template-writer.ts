/** Writes evaluated strings of a configuration: expressions, and strings and statements with placeholders. */
import { quotedString } from './unseen.js';
import { asWritten, tagOf, type Written } from './written.js';

/** A template literal for expressions. Substitutions must be expressions. */
export const expression = Object.assign(tagOf<'expression'>(), {
  /** An unquoted name, valid in both syntaxes: letters, digits and `_`. */
  word: (name: string): Written<'expression'> => {
    if (!isWord(name)) throw new Error('A name in an expression needs quotes.');
    return asWritten<'expression'>(name);
  },

  /** A name as a Syntax A argument: `id`, `filter[state]`, `"any name"`. */
  argument: (name: string): Written<'expression'> => {
    return /^\w[\w.-]*(?:\[\w[\w.-]*\])*$/.test(name)
      ? asWritten<'expression'>(name)
      : expression.quoted(name, '"');
  },

  /** A quoted string. */
  quoted: (text: string, mark: '"' | "'"): Written<'expression'> => {
    const inner = quotedString(text).slice(1, -1);
    return asWritten<'expression'>(
      mark === '"' ? `"${inner}"` : `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`,
    );
  },

  /** A path step: `.name`, `['any name']`. */
  step: (name: string): Written<'expression'> => {
    return isWord(name) ? asWritten<'expression'>(`.${name}`) : expression`[${expression.quoted(name, "'")}]`;
  },

  /** Joins conditions that must all be true. */
  all: (conditions: readonly Written<'expression'>[]): Written<'expression'> => {
    return asWritten<'expression'>(conditions.join(' && '));
  },
});

function isWord(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/** A template literal for strings with placeholders (messages, headers, URLs). Substitutions must be such strings. */
export const template = Object.assign(tagOf<'template'>(), {
  /** Literal text. If it contains characters of placeholders, the whole text becomes a constant written by `literal`. */
  text: (text: string, literal: (text: string) => Written<'expression'>): Written<'template'> => {
    return /[[\]{}()]|[:$]$|\b(?:param|body)\.|^\s|\s$|\n/.test(text)
      ? template.placeholder(literal(text))
      : asWritten<'template'>(text);
  },

  /** A placeholder: `:[…]` */
  placeholder: (value: Written<'expression'>): Written<'template'> => {
    return asWritten<'template'>(`:[${value}]`);
  },

  /** A header name, which is a token (RFC 9110). */
  headerName: (name: string): Written<'template'> => {
    if (!isToken(name)) throw new Error('This is not the name of a header.');
    return asWritten<'template'>(name);
  },

  /** A percent-encoded part of a URL: of the path, or a name or value of the query. */
  urlPart: (text: string): Written<'template'> => {
    return asWritten<'template'>(encoded(text));
  },

  /** A URL path as in an API description. Characters that are invalid in URLs are percent-encoded, and so are brackets and dollar signs. */
  urlPath: (path: string): Written<'template'> => {
    return asWritten<'template'>(path.replaceAll(/[^\w/?.~%!&'()*+,;=:@-]+/g, encoded));
  },
});

/** Replaces unpaired surrogates, which cannot be encoded in a URL. */
function encoded(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\ufffd'));
}

/** Whether the text can be a header name. */
export function isToken(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

/** Whether the text contains the beginning of an environment reference, which cannot be written literally in datasource values. */
export function hasReference(text: string): boolean {
  return text.includes('${');
}
