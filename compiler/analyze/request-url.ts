/** Takes the URL of a request apart: what is constant, and in which place each placeholder stands (decisions 6.2). */
import type { Expression, Template } from '../expression/ast.js';

/** A URL whose scheme, host and port are constant, or that one value gives as a whole. */
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

/** What is wrong with a URL, in the words of `wrong-request-url`. */
export interface UrlProblem {
  readonly kind: 'origin' | 'host' | 'wrong';
  readonly problem: string;
  readonly hint?: string;
}

/** What was read; `hasFragment` tells of one that is left out, as it is never sent. */
export type UrlReading =
  { readonly url: RequestUrl; readonly hasFragment: boolean } | { readonly problem: UrlProblem };

/** `hasBase`: the datasource has a URL of its own. */
export function takeApart(template: Template, hasBase: boolean): UrlReading {
  const marker = unusedWord(template);
  const values: Expression[] = [];
  const written = template
    .map((part) => (typeof part === 'string' ? part : `${marker}${values.push(part) - 1}x`))
    .join('')
    .trim();
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
  // The parser gives a path to what has none; below another URL there may be none.
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

const belowBase =
  'A path below the url of the datasource may begin with a slash: then nothing in it is a scheme.';

function problemOf(text: string, marker: string, hasBase: boolean): UrlProblem | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1];
  const authority = /^(?:[^:/?#]*:)?\/\/([^/?#]*)/.exec(text)?.[1];
  const isMarked = (part: string | undefined): boolean => part?.includes(marker) === true;
  if (hasBase && isMarked(scheme) && authority === undefined)
    return wrong('the part before its colon looks like a scheme', belowBase);
  if (isMarked(scheme) || isMarked(authority) || (!hasBase && text.startsWith(marker))) return inOrigin;
  if (text.includes('${'))
    return wrong(
      'an environment reference (${…}) works in the fields of datasources only',
      "Write it in the 'url' of the datasource, and here the path below it.",
    );
  const odd = /[\\\t\r\n]/.exec(text)?.[0];
  if (odd !== undefined)
    return odd === '\\'
      ? wrong('it has a backslash', 'Write / between the parts of a path, or %5C for the character.')
      : wrong('it has a tab or line break', 'Remove it, or write %09 for a tab and %0A for a line break.');
  if (/%(?![0-9a-f]{2})/i.test(text))
    return wrong("it has a '%' without two hexadecimal digits", 'A percent sign itself is written %25.');
  if (scheme === undefined) {
    if (authority !== undefined)
      return wrong('it has a host, and no scheme', 'Write https: before the two slashes.');
    if (!hasBase)
      return {
        kind: 'host',
        problem: 'This URL has no host, and its datasource has no url',
        hint: "Write the whole URL, or set the 'url' of the datasource.",
      };
  } else if (!/^https?$/i.test(scheme) || authority === undefined)
    return wrong("it begins neither with 'http://' nor with 'https://'", hasBase ? belowBase : undefined);
  if (authority?.includes('@') === true)
    return wrong('it has a user or password', "Set 'user' and 'password' of the datasource.");
  // Between more than two slashes there is no host, and a URL parser would take the next segment for it.
  if (scheme !== undefined && (authority === '' || !URL.canParse(text)))
    return wrong('its host or port is none');
  // A host is decoded and normalised, and what comes out may be the word that stands for a value.
  if (scheme !== undefined && isMarked(new URL(text).host)) return inOrigin;
  const [path = ''] = text.slice(text.indexOf(authority ?? '') + (authority?.length ?? 0)).split(/[?#]/);
  if (path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    return wrong("its path has a segment '.' or '..'", 'Write the path that is meant.');
  return undefined;
}

function wrong(problem: string, hint?: string): UrlProblem {
  return { kind: 'wrong', problem, ...(hint === undefined ? {} : { hint }) };
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
