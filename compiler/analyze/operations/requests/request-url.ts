/** Parses the URL of a request into constant parts and placeholders, whose position determines how their values are encoded. */
import type { Expression, Template } from '../../../read/expression/ast.js';

/** A URL with a constant scheme, host and port, or a single value as the whole URL. */
export type RequestUrl =
  | { readonly kind: 'whole'; readonly value: Expression }
  | {
      readonly kind: 'parts';
      /** `https://api.example.com`; undefined if the URL is relative to that of the datasource. */
      readonly origin: string | undefined;
      /** Path and query, preceded by the origin if there is one. */
      readonly pieces: readonly UrlPiece[];
    };

export type UrlPiece =
  | { readonly kind: 'text'; readonly text: string }
  /** A complete path segment, which must not be empty, `.` or `..`. */
  | { readonly kind: 'segment'; readonly value: Template }
  /** A part of a segment or of the query, percent-encoded. */
  | { readonly kind: 'encoded'; readonly value: Expression };

/** A problem with a URL, in the terms of `wrong-request-url`. */
export interface UrlProblem {
  readonly kind: 'origin' | 'host' | 'wrong';
  readonly problem: string;
  readonly hint?: string;
  /** Matches the affected part of the URL as written; undefined for the whole URL. */
  readonly part?: RegExp;
}

/** The parsed URL. `hasFragment` is true if there is a fragment, which is never sent. */
export type ParsedUrl =
  { readonly url: RequestUrl; readonly hasFragment: boolean } | { readonly problem: UrlProblem };

/** `hasBase`: whether the datasource has a URL. */
export function takeApart(template: Template, hasBase: boolean): ParsedUrl {
  const marker = unusedWord(template);
  const values: Expression[] = [];
  const written = template
    .map((part) => (typeof part === 'string' ? part : `${marker}${values.push(part) - 1}x`))
    .join('')
    .trim()
    // Placeholders in the notation of other tools, which have been reported.
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
  // The URL parser adds a leading slash, which a relative URL may not have.
  const pieces = split(isAbsolute || /^\//.test(below) ? normal : normal.slice(1), marker, values);
  return {
    url: { kind: 'parts', origin: isAbsolute ? url.origin : undefined, pieces },
    hasFragment: mark !== -1,
  };
}

const placeholderOrigin = 'http://base.invalid';

/** A word of lower-case letters that does not occur in any constant part, and that no URL parser changes. */
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

/** Explains an invalid host or port: the problem, a hint, and the affected part. */
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
  // With more than two slashes there is no host, and URL parsers would use the next segment as the host.
  if (scheme !== undefined && (authority === '' || !URL.canParse(text)))
    return wrong(...wrongAuthority(text, authority ?? ''));
  // URL parsers decode and normalize hosts, so the marker for values could appear only now.
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

/** Replaces the scheme of URLs such as `ftp://example.com/news`, `https:/example.com` and `mailto:a`. */
function withHttps(text: string): string {
  return text.replace(/^[a-z][a-z0-9+.-]*:\/*/i, 'https://');
}

/** Resolves the segments `.` and `..` of a URL. */
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

/** Splits a segment. If its constant text alone ensures that it is not empty, `.` or `..`, each value is encoded separately. */
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

/** Merges adjacent constant parts. */
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
