/** Parses the URL of a request: its constant parts, and the part of each placeholder, for which its value is encoded. */
import type { Expression, Template } from '../../../read/expression/ast.js';

/** A URL with constant scheme, host and port, or one value as the whole URL. */
export type RequestUrl =
  | { readonly kind: 'whole'; readonly value: Expression }
  | {
      readonly kind: 'parts';
      /** `https://api.example.com`; undefined when the URL is below that of the datasource. */
      readonly origin: string | undefined;
      /** Path and query, and the origin before them where there is one. */
      readonly pieces: readonly UrlPiece[];
    };

export type UrlPiece =
  | { readonly kind: 'text'; readonly text: string }
  /** One whole segment of the path: never empty, `.` or `..`. */
  | { readonly kind: 'segment'; readonly value: Template }
  /** A part of a segment or of the query, percent-encoded. */
  | { readonly kind: 'encoded'; readonly value: Expression };

/** The problem of a URL, in the words of `wrong-request-url`. */
export interface UrlProblem {
  readonly kind: 'origin' | 'host' | 'wrong';
  readonly problem: string;
  readonly hint?: string;
  /** The part with the problem, in the URL as it is written; undefined for all of it. */
  readonly part?: RegExp;
}

/** The parsed URL; `hasFragment` if it has a fragment, which is never sent. */
export type ParsedUrl =
  { readonly url: RequestUrl; readonly hasFragment: boolean } | { readonly problem: UrlProblem };

/** `hasBase`: the datasource has a URL of its own. */
export function takeApart(template: Template, hasBase: boolean): ParsedUrl {
  const marker = unusedWord(template);
  const values: Expression[] = [];
  const written = template
    .map((part) => (typeof part === 'string' ? part : `${marker}${values.push(part) - 1}x`))
    .join('')
    .trim()
    // Reported when the string is read: placeholders in the notation of other tools.
    .replaceAll(/\$\{(?![A-Z\d_]{0,100}(?::[^{}\n]{0,200})?\})[^{}\n]{0,300}\}/g, 'x');
  const [only] = values;
  if (only !== undefined && written === `${marker}0x`)
    return { url: { kind: 'whole', value: only }, hasFragment: false };

  const problem = problemOf(written, marker, hasBase);
  if (problem !== undefined) return { problem };
  const mark = written.indexOf('#');
  const text = mark === -1 ? written : written.slice(0, mark);
  const isAbsolute = /^https?:/i.test(text);
  const below = isAbsolute || /^[/?]|^$/.test(text) ? text : `/${text}`;
  const url = new URL(below, isAbsolute ? undefined : placeholderOrigin);
  const normal = isAbsolute ? url.href : url.href.slice(placeholderOrigin.length);
  // The parser adds a missing path; relative to another URL there may be none.
  const pieces = split(isAbsolute || /^\//.test(below) ? normal : normal.slice(1), marker, values);
  return {
    url: { kind: 'parts', origin: isAbsolute ? url.origin : undefined, pieces },
    hasFragment: mark !== -1,
  };
}

const placeholderOrigin = 'http://base.invalid';

/** A word of lower-case letters that no constant part holds: no URL parser changes it. */
function unusedWord(template: Template): string {
  const constant = template
    .filter((part) => typeof part === 'string')
    .join('')
    .toLowerCase();
  let word = 'value';
  while (constant.includes(word)) word += 'z';
  return word;
}

const inOrigin: UrlProblem = {
  kind: 'origin',
  problem: 'Placeholder in the scheme, host or port of the URL',
};

/** The problem of host and port, its hint, and its position. */
function wrongAuthority(text: string, authority: string): [problem: string, hint: string, part: RegExp] {
  const host = /^[\w.-]+(?=:)/.exec(authority)?.[0];
  if (host !== undefined && URL.canParse(`https://${host}`))
    return [
      'its port is not valid',
      `Write a number from 1 to 65535 as the port, such as ${host}:8080`,
      /(?<=:\/\/[^/?#:]+:)[^/?#]+/,
    ];
  return [
    'its host is not valid',
    `Write a host name after ://, such as ${text.startsWith('http:') ? 'http' : 'https'}://api.example.com/news`,
    /(?<=:\/\/)[^/?#]+/,
  ];
}

function problemOf(text: string, marker: string, hasBase: boolean): UrlProblem | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1];
  const authority = /^(?:[^:/?#]*:)?\/\/([^/?#]*)/.exec(text)?.[1];
  const isMarked = (part: string | undefined): boolean => part?.includes(marker) === true;
  if (hasBase && isMarked(scheme) && authority === undefined)
    return wrong(
      'it begins with a value and a colon, which is read as a scheme',
      "Write '/' before it if it is a path. A host cannot be a value: write it as a constant.",
      /:\[[^\][]{0,300}\]:?/,
    );
  if (isMarked(scheme) || isMarked(authority) || (!hasBase && text.startsWith(marker))) return inOrigin;
  if (text.includes('${'))
    return wrong(
      '${…} is only replaced in the fields of a datasource',
      "Write the URL up to the path in the 'url' of the datasource, and only the path here.",
      /\$\{[^}]*\}?/,
    );
  const odd = /[\\\t\r\n]/.exec(text)?.[0];
  if (odd !== undefined)
    return odd === '\\'
      ? wrong('it has a backslash', 'Write / between the parts of a path, or %5C for the character.', /\\/)
      : wrong(
          'it has a tab or line break',
          'Remove it, or write %09 for a tab and %0A for a line break.',
          /\t|\\[tnr]/,
        );
  if (/%(?![0-9a-f]{2})/i.test(text))
    return wrong(
      "a '%' in it is not followed by two hexadecimal digits",
      'Write %25 for a percent sign.',
      /%(?![0-9a-f]{2})/i,
    );
  if (scheme === undefined) {
    if (authority !== undefined)
      return wrong(
        'it has a host, but no scheme',
        text.includes(marker) ? 'Write https: before the two slashes.' : `Write https:${text}`,
        /\/\//,
      );
    if (!hasBase)
      return {
        kind: 'host',
        problem: 'This URL has no host, and its datasource has no url',
        hint: "Write the whole URL, or set the 'url' of the datasource.",
      };
  } else if (!/^https?$/i.test(scheme) || authority === undefined)
    return wrong(
      "it does not begin with 'http://' or 'https://'",
      text.includes(marker) ? 'Write https:// before the host.' : `Write ${withHttps(text)}`,
      /[a-z][a-z0-9+.-]{0,30}:\/{0,2}/i,
    );
  if (authority?.includes('@') === true)
    return wrong(
      'it has a user or password',
      "Remove it here, and write it in 'user' and 'password' of the datasource.",
      /(?<=\/\/)[^/@]*@/,
    );
  // Between more than two slashes there is no host, and a URL parser would use the next segment as the host.
  if (scheme !== undefined && (authority === '' || !URL.canParse(text)))
    return wrong(...wrongAuthority(text, authority ?? ''));
  // A host is decoded and normalised, and the result may contain the word that marks a value.
  if (scheme !== undefined && isMarked(new URL(text).host)) return inOrigin;
  const [path = ''] = text.slice(text.indexOf(authority ?? '') + (authority?.length ?? 0)).split(/[?#]/);
  if (path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    return wrong(
      "its path has a segment '.' or '..'",
      text.includes(marker) ? 'Write the path without that segment.' : `Write ${withoutDots(text)}`,
      /(?<=\/)(?:\.|%2e){1,2}(?![^/?#'"\s])/i,
    );
  return undefined;
}

/** `ftp://example.com/news`, `https:/example.com` and `mailto:a` as addresses of HTTP. */
function withHttps(text: string): string {
  return text.replace(/^[a-z][a-z0-9+.-]*:\/*/i, 'https://');
}

/** The URL without the segments `.` and `..`, and without the segments that they remove. */
function withoutDots(text: string): string {
  const isAbsolute = /^https?:/i.test(text);
  const url = new URL(text, placeholderOrigin);
  return isAbsolute ? url.href : url.href.slice(placeholderOrigin.length);
}

function wrong(problem: string, hint: string, part?: RegExp): UrlProblem {
  return { kind: 'wrong', problem, hint, ...(part && { part }) };
}

function split(text: string, marker: string, values: readonly Expression[]): UrlPiece[] {
  const mark = text.indexOf('?');
  const [path, query] = mark === -1 ? [text, ''] : [text.slice(0, mark), text.slice(mark)];
  const segments = path.split(/(?<=\/)|(?=\/)/);
  return joined([
    ...segments.flatMap((segment) => splitSegment(segment, marker, values)),
    ...splitParts(query, marker, values),
  ]);
}

/** Where the constant text alone keeps the segment from being empty or dots, each value is encoded for itself. */
function splitSegment(segment: string, marker: string, values: readonly Expression[]): UrlPiece[] {
  const parts = partsOf(segment, marker, values);
  const constant = parts.filter((part) => typeof part === 'string').join('');
  if (parts.length === 0 || constant === segment) return [{ kind: 'text', text: segment }];
  if (/^(?:\.|%2e)*$/i.test(constant))
    return [
      {
        kind: 'segment',
        value: parts.map((part) => (typeof part === 'string' ? decodeURIComponent(part) : part)),
      },
    ];
  return splitParts(segment, marker, values);
}

function splitParts(text: string, marker: string, values: readonly Expression[]): UrlPiece[] {
  return partsOf(text, marker, values).map((part) =>
    typeof part === 'string' ? { kind: 'text', text: part } : { kind: 'encoded', value: part },
  );
}

function partsOf(text: string, marker: string, values: readonly Expression[]): (string | Expression)[] {
  const pieces = text.split(new RegExp(`${marker}(\\d+)x`));
  return pieces
    .map((piece, index) => (index % 2 === 0 ? piece : (values[Number(piece)] ?? '')))
    .filter((part) => part !== '');
}

/** Neighbouring texts as one. */
function joined(pieces: readonly UrlPiece[]): UrlPiece[] {
  const result: UrlPiece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (last?.kind === 'text' && piece.kind === 'text')
      result.splice(-1, 1, { kind: 'text', text: last.text + piece.text });
    else if (piece.kind !== 'text' || piece.text !== '') result.push(piece);
  }
  return result;
}
