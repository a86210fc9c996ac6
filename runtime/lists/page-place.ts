/** The place of a page in its list, as a request names it: a page number, an offset, or a cursor. */
import type { Json } from '../handler/json.js';
import type { OrderColumn } from './ordered-sql.js';
import { invalidValue } from './invalid-value.js';
import { readToken, type TokenValue } from './page-token.js';

/** `page` of a list. Sources are the locations of values in the request, for 400 responses: `query.page`. */
export interface PageDefinition {
  readonly limit?: string;
  readonly max: number;
  readonly after?: string;
  readonly number?: string;
  readonly offset?: string;
  /** The maximum number of rows before a page, for lists with page numbers or offsets. */
  readonly maxOffset?: number;
  /** Whether an invalid number means the nearest valid number, instead of status 400. */
  readonly clamp?: true;
  /** Whether cursors of previous pages are written and accepted. */
  readonly previous?: true;
  /** The maximum number of rows that are counted; undefined if rows are not counted. */
  readonly total?: number;
  /** The query parameters that the URLs of pages do not repeat; undefined if no URLs are written. */
  readonly links?: readonly string[];
}

/** The page requested by a call. Null and undefined mean the first page with the maximum number of rows. */
export interface AskedPage {
  readonly limit?: Json | undefined;
  readonly after?: Json | undefined;
  readonly number?: Json | undefined;
  readonly offset?: Json | undefined;
}

/** The values of the row next to the page, and whether the page ends before that row instead of beginning after it. */
export interface Cursor {
  readonly values: readonly TokenValue[];
  readonly isBackward: boolean;
}

export interface Place {
  /** The number of rows of a page. */
  readonly size: number;
  readonly cursor: Cursor | undefined;
  /** The number of rows before the page; 0 with a cursor. */
  readonly skipped: number;
  /** The parameter that names the page; undefined for the first page of a request without any. */
  readonly by: PageName | undefined;
}

export type PageName = 'number' | 'offset' | 'after';

/** The place of the page that a call asks for. `mark` identifies the order. Throws a ServiceError 400. */
export function placeOf(
  page: PageDefinition,
  asked: AskedPage,
  mark: string,
  columns: readonly OrderColumn[],
): Place {
  const size = pageSize(asked.limit ?? null, page);
  const { number = null, offset = null } = asked;
  const after = asked.after === '' ? null : (asked.after ?? null);
  const named = (['number', 'offset', 'after'] as const).filter(
    (name) => ({ number, offset, after })[name] !== null,
  );
  const [by, other] = named;
  if (by !== undefined && other !== undefined)
    throw invalidValue(page[other], 'page', `nothing, because '${nameOf(page, by)}' already names a page`);
  if (by === undefined) return { size, cursor: undefined, skipped: 0, by };
  if (by === 'after') return { size, cursor: cursorOf(after, mark, columns, page), skipped: 0, by };
  const { maxOffset = 0 } = page;
  const isNumber = by === 'number';
  const [least, most] = isNumber ? [1, Math.floor(maxOffset / size) + 1] : [0, maxOffset];
  const found = wholeNumber(isNumber ? number : offset, least, page);
  if (found === undefined || (found > most && page.clamp !== true))
    throw invalidValue(page[by], isNumber ? 'page' : 'offset', `a whole number from ${least} to ${most}`);
  const within = Math.min(found, most);
  return { size, cursor: undefined, skipped: isNumber ? (within - 1) * size : within, by };
}

/** The name of a parameter in the request: `page` for `query.page`. */
export function nameOf(page: PageDefinition, field: PageName): string {
  return page[field]?.replace(/^[a-z]+\./, '') ?? field;
}

function cursorOf(token: Json, mark: string, columns: readonly OrderColumn[], page: PageDefinition): Cursor {
  if (typeof token === 'string') {
    const values = readToken(token, mark, columns);
    if (values !== undefined) return { values, isBackward: false };
    const before = page.previous === true ? readToken(token, backwards(mark), columns) : undefined;
    if (before !== undefined) return { values: before, isBackward: true };
  }
  throw invalidValue(page.after, 'next page', 'the text of a next page in this order');
}

/** The mark of cursors of previous pages in the order. */
export function backwards(mark: string): string {
  return `<${mark}`;
}

function pageSize(limit: Json, page: PageDefinition): number {
  if (limit === null) return page.max;
  const size = wholeNumber(limit, 1, page, page.max);
  if (size === undefined) throw invalidValue(page.limit, 'limit', 'a whole number from 1');
  return Math.min(size, page.max);
}

/**
 * The number, which may be Infinity; undefined if it is invalid. With `clamp`, a number loses its fraction, a number that is too small
 * is `least`, and any other value is `usual`.
 */
function wholeNumber(
  value: Json,
  least: number,
  { clamp }: PageDefinition,
  usual = least,
): number | undefined {
  const pattern = clamp === true ? /^[+-]?\d{1,400}(?:\.\d{0,400})?$/ : /^\d{1,400}$/;
  const isNumber = typeof value === 'number' || (typeof value === 'string' && pattern.test(value));
  const number = isNumber ? Number(value) : undefined;
  if (clamp === true) return number === undefined ? usual : Math.max(Math.trunc(number), least);
  if (number === undefined || (Number.isFinite(number) && !Number.isInteger(number))) return undefined;
  return number < least ? undefined : number;
}
