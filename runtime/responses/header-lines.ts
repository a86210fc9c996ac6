/** Headers of responses and exceptions: null omits a header, a list becomes a line for each element. */
import type { ServerResponse } from 'node:http';
import { textOf, type Json } from '../handler/json.js';
import { ServiceError, type HeaderLines, type HeaderList } from '../handler/reply.js';
import { isHeaderText, withoutBlanks } from '../rest/header-text.js';

/** Maximum characters of a header line. Common clients and proxies reject responses whose headers exceed 8 to 16 KiB. */
const longest = 8 * 1024;

/**
 * The headers of a response: null omits a header, a list becomes a line for each element. Throws a ServiceError 500 for a value that is
 * not allowed in a header.
 */
export function headerLines(
  ...headers: readonly (readonly [name: string, value: Json | undefined])[]
): HeaderLines {
  const lines = headers.flatMap(([name, value]) => linesOf(name, value));
  return (response) => linesBeside(response, lines);
}

function linesOf(name: string, value: Json | undefined): (readonly [string, string])[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((one) => linesOf(name, one));
  const text = textOf(value);
  if (isHeaderText(text) && text.length <= longest) return [[name, withoutBlanks(text)]];
  const problem =
    text.length > longest
      ? `is longer than ${longest} characters`
      : 'has control characters, or characters outside of Latin-1';
  const log = { reason: `the header ${name} of a response ${problem}` };
  throw new ServiceError(500, 'Internal server error', { log });
}

/** The lines to send in addition to the existing headers of the response. */
function linesBeside(response: ServerResponse, lines: readonly (readonly [string, string])[]): HeaderList {
  const [vary, others] = [lines.filter(isVary), lines.filter((line) => !isVary(line))];
  if (vary.length > 0) addToList(response, 'Vary', vary.map(([, value]) => value).join(', '));
  if (response.hasHeader('Access-Control-Expose-Headers') && others.length > 0)
    addToList(response, 'Access-Control-Expose-Headers', others.map(([name]) => name).join(', '));
  const byName = new Map<string, [name: string, values: string[]]>();
  for (const [name, value] of others) {
    const key = name.toLowerCase();
    // The lines replace headers of the same name, but cookies set by src/middleware.ts are kept.
    const before = key === 'set-cookie' ? [response.getHeader(name) ?? []].flat().map(String) : [];
    const line = byName.get(key) ?? [name, before];
    byName.set(key, line);
    line[1].push(value);
  }
  return [...byName.values()].flat();
}

function isVary([name]: readonly [string, string]): boolean {
  return name.toLowerCase() === 'vary';
}

/** Adds to a header that is a list of words, each of which is there once. */
export function addToList(response: ServerResponse, name: string, added: string): void {
  const words = [response.getHeader(name) ?? [], added].flat().join(',').split(',');
  const unique = new Map(words.map((word) => [word.trim().toLowerCase(), word.trim()]));
  unique.delete('');
  response.setHeader(name, [...unique.values()].join(', '));
}
