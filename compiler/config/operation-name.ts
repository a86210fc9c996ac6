/** Tells an operation with an API trigger from one whose name is free text (decisions 9.2). */
import type { Report } from '../diagnostics/report.js';
import { nearest } from '../diagnostics/suggest.js';
import type { Located } from '../source.js';
import type { Endpoint, HttpMethod } from './model.js';

export const httpMethods: readonly HttpMethod[] = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
];

/** The endpoint that the name stands for; undefined for free text. A name that nearly looks like an endpoint is reported. */
export function readEndpoint(name: Located<string>, report: Report): Endpoint | undefined {
  const [first = '', second = ''] = name.value.split(' ');
  const method = httpMethods.find((candidate) => candidate === first.toUpperCase());
  if (method !== undefined && second.startsWith('/') && name.value === `${first} ${second}`) {
    const parameters = readPath(second, name, report);
    return parameters && { method, path: second, parameters };
  }
  const meant = meantEndpoint(name.value);
  if (meant !== undefined) report.add('near-endpoint', name.place, { name: name.value, meant });
  return undefined;
}

/** What somebody may have meant who wrote `GET news`, `/news`, `GTE /news` or `GET/news`; undefined for free text. */
function meantEndpoint(name: string): string | undefined {
  const trimmed = name.trim();
  if (trimmed.startsWith('/')) return `GET ${trimmed}`;
  const [, word = '', rest = ''] = /^([A-Za-z]+)\s*(.*)$/s.exec(trimmed) ?? [];
  const method = httpMethods.find((candidate) => candidate === word.toUpperCase());
  const [path = ''] = rest.split(/\s/);
  const near = method ?? nearest(word, httpMethods);
  if (rest.startsWith('/') && (near !== undefined || path === rest)) return `${near ?? 'GET'} ${path}`;
  // 'GET news' is near an endpoint; 'get the latest news' and 'Delete old news' are free text.
  return method !== undefined && word === method ? `${method} /${path}` : undefined;
}

/** The names of the `{param}` parts; undefined after a reported mistake. */
function readPath(path: string, name: Located<string>, report: Report): string[] | undefined {
  const parameters = [...path.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? '');
  const problem = characterProblem(path) ?? segmentProblem(path) ?? parameterProblem(parameters);
  if (problem === undefined) return parameters;
  report.add('wrong-path', name.place, { path, problem });
  return undefined;
}

function characterProblem(path: string): string | undefined {
  if (/[?#]/.test(path)) {
    return "it holds '?' or '#': query parameters are read with PARAM and are not part of the name";
  }
  if (/[^\x21-\x7e]/.test(path)) {
    return 'a path holds only visible ASCII characters; write others percent-encoded';
  }
  return /%(?![0-9A-Fa-f]{2})/.test(path) ? "'%' must be followed by two hexadecimal digits" : undefined;
}

function segmentProblem(path: string): string | undefined {
  for (const segment of path.slice(1).split('/')) {
    if (segment === '.' || segment === '..') return `the segment '${segment}' never arrives at a server`;
    const constant = segment.replaceAll(/\{[^{}]*\}/g, '\0');
    if (/[{}]/.test(constant)) return `the braces in '${segment}' do not pair`;
    if (constant.includes('\0\0')) return `two parameters in '${segment}' need text between them`;
  }
  return path.includes('//') ? 'it has an empty segment' : undefined;
}

function parameterProblem(parameters: readonly string[]): string | undefined {
  const odd = parameters.find((parameter) => !/^[A-Za-z_][\w.-]*$/.test(parameter));
  if (odd !== undefined) {
    return `'{${odd}}' is no parameter name: letters, digits, '_', '-' and '.', beginning with a letter`;
  }
  const twice = parameters.find((parameter, index) => parameters.indexOf(parameter) !== index);
  return twice === undefined ? undefined : `'{${twice}}' stands in it twice`;
}
