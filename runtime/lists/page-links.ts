/** The URLs of the pages of a list, with the other query parameters of the request (RFC 8288). */
import type { Call } from '../handler/call.js';
import { nameOf, type PageDefinition, type PageName, type Place } from './page-place.js';

/** URLs without an origin: `/news?page=2`. Null for a page that does not exist, and without a request. */
export interface PageLinks {
  /** The value of a `Link` header; null if it would be longer than 4,000 characters. */
  readonly header: string | null;
  readonly self: string | null;
  readonly first: string | null;
  readonly prev: string | null;
  readonly next: string | null;
  readonly last: string | null;
}

/** The facts about a page that has been read. */
export interface PageFacts {
  readonly next: string | null;
  readonly previous: string | null;
  /** Whether rows follow. */
  readonly hasNext: boolean;
  /** The number of the last page; null if it is not known. */
  readonly pages: number | null;
}

export const noLinks: PageLinks = {
  ...{ header: null, self: null, first: null },
  ...{ prev: null, next: null, last: null },
};

/** Proxies limit the length of all headers of a response, often to 4 or 8 kB. */
const maxHeader = 4_000;

/** The URLs around a page of the list. `isCursor`: requests can name a page by a cursor. */
export function pageLinks(
  { url }: Call,
  page: PageDefinition,
  { size, skipped, by }: Place,
  { next, previous, hasNext, pages }: PageFacts,
  isCursor: boolean,
): PageLinks {
  if (url === undefined) return noLinks;
  const { number, offset, maxOffset, links: omitted = [] } = page;
  const names = (['number', 'offset', 'after'] as const).flatMap((field) =>
    page[field] === undefined ? [] : [nameOf(page, field)],
  );
  const kept = url.query.filter(([name]) => !omitted.includes(name));
  const others = kept.filter(([name]) => !names.includes(name));
  const urlOf = (query: readonly (readonly [string, string])[]): string =>
    query.length === 0
      ? url.path
      : `${url.path}?${query.map((one) => one.map(encodeURIComponent).join('=')).join('&')}`;
  const at = (field: PageName, value: string | number): string =>
    urlOf([...others, [nameOf(page, field), String(value)]]);
  const counted = number === undefined && offset === undefined ? undefined : offsetOrNumber(page, by);
  const atRow = (row: number): string | null => {
    if (counted === undefined || row > (maxOffset ?? 0)) return null;
    return at(counted, counted === 'offset' ? row : Math.floor(row / size) + 1);
  };
  const byCursor = by === 'after' || counted === undefined;
  const end = pages === null ? Infinity : pages * size;
  const nextUrl = (): string | null => {
    if (!hasNext) return null;
    const found = byCursor ? null : atRow(skipped + size);
    return found ?? (isCursor && next !== null ? at('after', next) : null);
  };
  const prevUrl = (): string | null => {
    if (byCursor) return previous === null ? null : at('after', previous);
    return skipped === 0 ? null : atRow(Math.max(0, Math.min(skipped, end) - size));
  };
  const urls = {
    self: urlOf(kept),
    first: urlOf(others),
    prev: prevUrl(),
    next: nextUrl(),
    last: pages === null ? null : atRow((pages - 1) * size),
  };
  const header = (['first', 'prev', 'next', 'last'] as const)
    .flatMap((relation) => (urls[relation] === null ? [] : [`<${urls[relation]}>; rel="${relation}"`]))
    .join(', ');
  return { header: header.length > maxHeader ? null : header, ...urls };
}

/** The parameter of counted pages: that of the request, otherwise the number. */
function offsetOrNumber({ number }: PageDefinition, by: PageName | undefined): 'number' | 'offset' {
  if (by === 'number' || by === 'offset') return by;
  return number === undefined ? 'offset' : 'number';
}
