/** Finds where strings, quoted names and comments begin and end, depending on the dialect. */
import type { Dialect } from '../dialect.js';
import type { Placeholders } from './placeholders.js';
import type { Embedded, EnclosedToken } from './token.js';

interface Enclosure {
  readonly kind: EnclosedToken['kind'];
  readonly opener: string;
  readonly closer: string;
  /** True if a doubled closer is an escaped closer. */
  readonly doubling?: boolean;
  /** True if a backslash escapes the next character. */
  readonly backslash?: boolean;
  /** True for PostgreSQL's block comments, which can be nested. */
  readonly nesting?: boolean;
}

const postgresqlOpener =
  /(?:[eE]|[uU]&|[bBxXnN])?'|(?:[uU]&)?"|\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$|--|\/\*/y;
/** In MySQL, `--` begins a comment only before white space or a control character, or at the end. */
const mysqlOpener = /['"`#]|--(?=[\0- ]|$)|\/\*(?:M?!)?/y;

/** The string, quoted name or comment that begins at `at`; undefined if there is none. */
export function enclosureAt(text: string, at: number, dialect: Dialect): Enclosure | undefined {
  const pattern = dialect === 'postgresql' ? postgresqlOpener : mysqlOpener;
  pattern.lastIndex = at;
  const opener = pattern.exec(text)?.[0];
  if (opener === undefined) return undefined;
  if (opener === '#' || opener === '--') return { kind: 'comment', opener, closer: '' };
  if (opener.startsWith('/*')) {
    return { kind: 'comment', opener, closer: '*/', nesting: dialect === 'postgresql' };
  }
  if (opener.startsWith('$')) return { kind: 'literal', opener, closer: opener };
  if (opener === '`') return { kind: 'quoted-name', opener, closer: opener, doubling: true };
  const closer = opener.slice(-1);
  if (dialect === 'mysql') return { kind: 'literal', opener, closer, doubling: true, backslash: true };
  if (closer === '"') return { kind: 'quoted-name', opener, closer, doubling: true };
  return { kind: 'literal', opener, closer, doubling: true, backslash: opener.toLowerCase() === "e'" };
}

/** Reads the string, quoted name or comment that begins at `start`, and records the placeholders inside. */
export function readEnclosed(
  text: string,
  start: number,
  enclosure: Enclosure,
  placeholders: Placeholders,
): EnclosedToken {
  const { kind, opener, closer } = enclosure;
  const embedded: Embedded[] = [];
  const note = (at: number): number => {
    if (!placeholders.looksLike(at + 2)) return at + 1;
    const end = placeholders.tryRead(at + 2);
    embedded.push({ start: at, end });
    // Inside a comment, a placeholder cannot hide the end of the comment; inside a literal, quotes within a placeholder do not end the
    // literal.
    return kind === 'comment' ? at + 2 : (end ?? at + 2);
  };
  const end = endOf(text, start + opener.length, enclosure, note);
  const closed = end !== undefined;
  const whole = { kind, opener, closer, closed, embedded };
  return { ...whole, text: text.slice(start, end), start, end: end ?? text.length };
}

/** The index after the closer; undefined if unclosed. `skip` returns the index at which to continue after a `:[`. */
function endOf(
  text: string,
  from: number,
  enclosure: Enclosure,
  skip: (at: number) => number,
): number | undefined {
  const { opener, closer } = enclosure;
  let depth = 1;
  let at = from;
  while (at < text.length) {
    const character = text.charAt(at);
    if (closer === '' && (character === '\n' || character === '\r')) return at;
    if (closer !== '' && character === closer.charAt(0) && text.startsWith(closer, at)) {
      at += closer.length;
      if (enclosure.doubling === true && text.startsWith(closer, at)) at += closer.length;
      else if (!continues(text, at, enclosure)) {
        depth -= 1;
        if (depth === 0) return at;
      } else at = text.indexOf(closer, at) + 1;
    } else if (enclosure.nesting === true && text.startsWith(opener, at)) {
      depth += 1;
      at += opener.length;
    } else if (character === '\\' && enclosure.backslash === true) at += 2;
    else if (character === ':' && text.charAt(at + 1) === '[') at = skip(at);
    else at += 1;
  }
  return closer === '' ? text.length : undefined;
}

const continuation = /[ \t\f\v]*[\r\n]\s*'/y;

/** PostgreSQL joins strings separated by a line break; a continued `E'…'` keeps its backslash escapes. */
function continues(text: string, at: number, { opener, backslash }: Enclosure): boolean {
  if (backslash !== true || opener.length !== 2) return false;
  continuation.lastIndex = at;
  return continuation.test(text);
}
