/** `pages`: reads all elements of a paged list of a third-party API. */
import { get, type Json } from '../handler/json.js';
import { memoryOf } from '../handler/memory.js';
import { takeMemory } from '../loops/in-turns.js';
import { badResponse } from './failure.js';
import { responseHeader, type RestResponse } from './rest-response.js';
import type { Pages } from './rest.js';

/** The `pages` property of a request. */
export interface PageRule {
  /**
   * `link` for a Link header with `rel="next"`; otherwise the path in the body to the URL of the next page, or to the next value of
   * `parameter`.
   */
  readonly next: 'link' | readonly (string | number)[];
  /** The query parameter that is set to the value of `next`. */
  readonly parameter?: string;
  /** The path of the elements in the body; defaults to the whole body. */
  readonly items?: readonly (string | number)[];
  /** The maximum number of pages; more pages are an error. */
  readonly max: number;
}

/**
 * Requests all pages, and returns the last response with the elements of all pages. A page with a status outside 2xx is returned as the
 * result. All pages must have the same origin as the first, to protect the credentials.
 */
export function allPages({ next, parameter, items = [], max }: PageRule): Pages {
  return async ({ call, url, callSite, ask }) => {
    const elements: Json[] = [];
    const seen = new Set<string>();
    for (let page = url; ;) {
      seen.add(page.href);
      const response = await ask(page);
      if (response.status < 200 || response.status > 299) return response;
      const found = get(response.body, ...items);
      if (!Array.isArray(found)) throw badResponse(callSite, 'a page without a list of elements');
      takeMemory(call, 'lists', memoryOf(found));
      for (const element of found) elements.push(element);

      const value = next === 'link' ? linkToNext(response) : get(response.body, ...next);
      if (value === null || value === '' || value === false) return { ...response, body: elements };
      const following = urlOfPage(value, parameter, page);
      if (following?.origin !== url.origin) throw badResponse(callSite, 'a next page of another origin');
      if (seen.has(following.href)) throw badResponse(callSite, 'a next page that was there before');
      if (seen.size === max) throw badResponse(callSite, `more than ${max} pages`);
      page = following;
    }
  };
}

/** The URL of the next page; undefined if the value is not a URL. */
function urlOfPage(value: Json, parameter: string | undefined, page: URL): URL | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  if (parameter !== undefined) {
    const url = new URL(page);
    url.searchParams.set(parameter, String(value));
    return url;
  }
  if (!URL.canParse(String(value), page.href)) return undefined;
  const url = new URL(String(value), page.href);
  url.hash = '';
  return url.username === '' && url.password === '' ? url : undefined;
}

/** A link in a Link header (RFC 8288), and one of its parameters. */
const target = /<([^<>]*)>/y;
const parameterOfLink = /\s*;\s*([\w*-]*)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*)))?/y;

/** The target of the link to the next page; null if there is no such link. */
function linkToNext(response: RestResponse): string | null {
  const text = responseHeader(response, 'link') ?? '';
  for (let start = text.indexOf('<'); start !== -1;) {
    target.lastIndex = start;
    const address = target.exec(text)?.[1];
    let end = address === undefined ? start + 1 : target.lastIndex;
    for (let found = parameterAt(text, end); found !== undefined; found = parameterAt(text, end)) {
      if (address !== undefined && found.name === 'rel' && found.words.includes('next')) return address;
      end = found.end;
    }
    start = text.indexOf('<', end);
  }
  return null;
}

interface LinkParameter {
  readonly name: string;
  readonly words: readonly string[];
  readonly end: number;
}

function parameterAt(text: string, start: number): LinkParameter | undefined {
  parameterOfLink.lastIndex = start;
  const found = parameterOfLink.exec(text);
  if (found === null) return undefined;
  const [, name = '', quoted, plain = ''] = found;
  const words = (quoted ?? plain).toLowerCase().split(/\s+/);
  return { name: name.toLowerCase(), words, end: parameterOfLink.lastIndex };
}
