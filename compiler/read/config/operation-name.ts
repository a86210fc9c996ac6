/** Distinguishes operations with an API trigger from operations with a free-text name. */
import type { Sink } from '../diagnostics/finding.js';
import { nearest } from '../diagnostics/suggest.js';
import { partOf, type WithSpan } from '../source.js';
import type { Endpoint, HttpMethod } from './config-model.js';

const httpMethods: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/**
 * The endpoint of the name; undefined for free text. A name that almost matches an endpoint is reported and read as that endpoint, so that
 * the rest of the operation is checked. `isTimed`: the operation has triggers but no responses, so that a name such as `POST processing` is
 * free text.
 */
export function readEndpoint(name: WithSpan<string>, isTimed: boolean, report: Sink): Endpoint | undefined {
  const [first = '', second = ''] = name.value.split(' ');
  const method = httpMethods.find((candidate) => candidate === first.toUpperCase());
  if (method !== undefined && second.startsWith('/') && name.value === `${first} ${second}`) {
    const problem = pathProblem(second);
    if (problem !== undefined)
      report.add('wrong-path', partOf(name.span, problem.part), {
        path: second,
        problem: problem.problem,
        hint: likelyName(name.value, second),
        instead: withBraces(name.value, second),
        whole: name.span,
      });
    return { method, path: second, parameters: parametersOf(second.split(/[?#]/)[0] ?? second) };
  }
  const meant = isTimed ? undefined : meantEndpoint(name.value);
  if (meant === undefined) return undefined;
  const written = `${meant.method} ${meant.path}`;
  const isGood = meant.isSure && pathProblem(meant.path) === undefined;
  report.add('near-endpoint', name.span, { name: name.value, meant: isGood ? written : undefined });
  return { method: meant.method, path: meant.path, parameters: parametersOf(meant.path) };
}

/** False if the name was corrected (and reported): then the path is not checked further. */
export function isWrittenEndpoint(name: string, { method, path }: Endpoint): boolean {
  return name.toUpperCase().startsWith(`${method} `) && name.endsWith(` ${path}`);
}

/** Common words for HTTP methods. */
const synonyms: Readonly<Record<string, HttpMethod>> = {
  ...{ CREATE: 'POST', INSERT: 'POST', ADD: 'POST', UPDATE: 'PUT', REPLACE: 'PUT', MODIFY: 'PATCH' },
  ...{ READ: 'GET', FETCH: 'GET', LIST: 'GET', SELECT: 'GET', REMOVE: 'DELETE', DEL: 'DELETE' },
};

interface MeantEndpoint extends Pick<Endpoint, 'method' | 'path'> {
  /** False if the method is only a guess. */
  readonly isSure: boolean;
}

/**
 * The endpoint probably meant by names such as `GET news`, `/news`, `GTE /news`, `GET/news`, `POST: /news`, `HTTP GET /news` or `GET|POST
 * /news`. 'get the latest news' and 'Delete old news' are free text.
 */
function meantEndpoint(name: string): MeantEndpoint | undefined {
  const trimmed = name.trim().replaceAll(/^["'`]|["'`]$/g, '');
  if (trimmed.startsWith('/')) return { method: 'GET', path: pathOf(trimmed), isSure: true };
  const behind = /(?:^|\s)(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (\/\S*)$/.exec(trimmed);
  if (behind !== null)
    return { method: methodOf(behind[1]) ?? 'GET', path: pathOf(behind[2] ?? ''), isSure: true };
  const [, word = '', separator = '', rest = ''] = /^([A-Za-z]+)([\s:,_-]*)(.*)$/s.exec(trimmed) ?? [];
  const method = methodOf(word);
  const isOneWord = !/\s/.test(rest.replaceAll(/\{[^{}]*\}/g, ''));
  const synonym = isOneWord ? synonyms[word.toUpperCase()] : undefined;
  const near = method ?? synonym ?? methodOf(nearest(word, httpMethods));
  if (
    rest.startsWith('/') &&
    separator !== '-' &&
    (method !== undefined || (/\s/.test(separator) && (near !== undefined || isOneWord)))
  ) {
    return { method: near ?? 'GET', path: pathOf(rest), isSure: near !== undefined };
  }
  if (method === undefined || !isOneWord) return oddMethod(trimmed);
  const isShouted = word === method && (separator !== '' || rest === '');
  return isShouted || (/\s/.test(separator) && /[/{]/.test(rest))
    ? { method, path: pathOf(rest), isSure: true }
    : oddMethod(trimmed);
}

function methodOf(word: string | undefined): HttpMethod | undefined {
  return httpMethods.find((candidate) => candidate === word?.toUpperCase());
}

/** A path after a word that does not consist only of ASCII letters, such as `GET|POST /news` or `P'OST /news`. */
function oddMethod(name: string): MeantEndpoint | undefined {
  const [, word = '', path = ''] = /^(\S{2,24}) +(\/\S*)$/.exec(name) ?? [];
  if (path === '') return undefined;
  const several = word.split(/[|,&+/]/).flatMap((part) => methodOf(part) ?? []);
  const near = methodOf(nearest(word, httpMethods));
  return {
    method: several[0] ?? near ?? 'GET',
    path: pathOf(path),
    isSure: several.length === 0 && near !== undefined,
  };
}

/** Turns `news` and `https://example.com/news` into the path `/news`, and removes spaces from names in braces. */
function pathOf(text: string): string {
  const path = text.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/^\/*/, '/');
  const compact = path.replaceAll(/\{([^{}]*)\}/g, (braces) => braces.replaceAll(' ', '_'));
  return compact.split(/\s/)[0] ?? compact;
}

/** The names of the `{param}` segments. */
function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? '');
}

/** The name with parameters such as `:id` and `<id>` in braces, and with a lone `%` encoded, if the path is otherwise valid. */
function withBraces(name: string, path: string): string | undefined {
  const encoded = path.replaceAll(/%(?![0-9A-Fa-f]{2})/g, '%25');
  const braced = encoded.replaceAll(
    /\/(?::([\w-]+)|<(?:\w+:)?([\w-]+)>)(?=\/|$)/g,
    (_, colon: string | undefined, angle: string | undefined) => `/{${colon ?? angle ?? ''}}`,
  );
  const normal =
    /\/\.{1,2}(?:\/|$)/.test(braced) && !/[{}]/.test(braced)
      ? new URL(braced, 'http://base.invalid').pathname
      : braced;
  const meant = (normal.split(/[?#]/)[0] ?? '').replaceAll(/\{([A-Za-z_][\w.-]*):[^{}]*\}/g, '{$1}');
  return meant === path || pathProblem(meant) !== undefined ? undefined : name.replace(path, () => meant);
}

/** A guess at the name with a valid path. */
function likelyName(name: string, path: string): string | undefined {
  // An unpaired surrogate cannot be encoded in a URL.
  if (/\p{Surrogate}/u.test(path)) return undefined;
  const meant = withDistinctNames(
    path
      .replaceAll(/[^\x21-\x7e]+|["<>\\^`|]/g, (characters) => encodeURIComponent(characters))
      .replaceAll(/\/(\*+)(?=\/|$)/g, '/{name}')
      .replaceAll('{}', '{id}')
      .replaceAll(
        /\/\{([\w-]+)(?=\/|$)|\/([\w-]+)\}(?=\/|$)/g,
        (_, open?: string, close?: string) => `/{${open ?? close ?? ''}}`,
      )
      .replaceAll('}{', '}-{')
      .replaceAll(/\/{2,}/g, '/'),
  );
  return meant === path || pathProblem(meant) !== undefined ? undefined : name.replace(path, () => meant);
}

/** Renames repeated parameters: `/a/{id}/b/{id}` → `/a/{id}/b/{id2}`. */
function withDistinctNames(path: string): string {
  const names = new Set<string>();
  return path.replaceAll(/\{([\w-]+)\}/g, (_, name: string) => {
    const own = names.has(name) ? `${name}2` : name;
    names.add(own);
    return `{${own}}`;
  });
}

interface PathProblem {
  readonly problem: string;
  /** The affected part of the path, as written. */
  readonly part: string;
}

/** Why the path cannot be served; undefined if it can. */
function pathProblem(path: string): PathProblem | undefined {
  return characterProblem(path) ?? segmentProblem(path) ?? parameterProblem(parametersOf(path));
}

function characterProblem(path: string): PathProblem | undefined {
  const [query] = /\?.*/s.exec(path) ?? [];
  if (query !== undefined)
    return { problem: 'query parameters are read with PARAM, and are not part of the path', part: query };
  const [fragment] = /#.*/s.exec(path) ?? [];
  if (fragment !== undefined)
    return { problem: "the part after '#' is never sent to a server", part: fragment };
  const [foreign] = /[^\x21-\x7e]+/.exec(path) ?? [];
  if (foreign !== undefined)
    return { problem: `'${foreign}' is not ASCII, and must be percent-encoded`, part: foreign };
  const strange = /["<>\\^`|]/.exec(path.replaceAll(/<(?:\w+:)?[\w-]+>/g, ''))?.[0];
  if (strange !== undefined) return { problem: `'${strange}' must be percent-encoded`, part: strange };
  return /%(?![0-9A-Fa-f]{2})/.test(path)
    ? { problem: "'%' must be followed by two hexadecimal digits", part: '%' }
    : undefined;
}

function segmentProblem(path: string): PathProblem | undefined {
  for (const segment of path.slice(1).split('/')) {
    if (segment === '.' || segment === '..')
      return {
        problem: `clients remove the segment '${segment}' before they send a path`,
        part: `/${segment}`,
      };
    const foreign = /^(?::([\w-]+)|<(?:\w+:)?([\w-]+)>)$/.exec(segment);
    if (foreign !== null)
      return {
        problem: `a parameter is written '{${foreign[1] ?? foreign[2] ?? ''}}', not '${segment}'`,
        part: segment,
      };
    if (/^\*+$/.test(segment))
      return { problem: `wildcards such as '${segment}' are not supported`, part: segment };
    const constant = segment.replaceAll(/\{[^{}]*\}/g, '\0');
    if (/[{}]/.test(constant)) return { problem: `a brace in '${segment}' is missing`, part: segment };
    if (constant.includes('\0\0'))
      return { problem: `two parameters in '${segment}' need text between them`, part: segment };
  }
  return path.includes('//') ? { problem: 'it has an empty segment', part: '//' } : undefined;
}

function parameterProblem(parameters: readonly string[]): PathProblem | undefined {
  const odd = parameters.find((parameter) => !/^[A-Za-z_][\w.-]*$/.test(parameter));
  if (odd !== undefined) {
    const problem =
      odd === ''
        ? "'{}' has no name"
        : `'{${odd}}' is not a parameter name (letters, digits, '_', '-' and '.', beginning with a letter)`;
    return { problem, part: `{${odd}}` };
  }
  const twice = parameters.find((parameter, index) => parameters.indexOf(parameter) !== index);
  return twice === undefined ? undefined : { problem: `duplicate '{${twice}}'`, part: `{${twice}}` };
}
