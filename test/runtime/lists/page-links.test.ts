/** URLs of pages: which parameters of the request they repeat. */
import { expect, test } from 'vitest';
import { urlOf } from '../../../runtime/http/request-target.js';
import { pageLinks } from '../../../runtime/lists/page-links.js';
import { testCall } from '../../helpers/test-call.js';

test('a filter with the name of a field that the page does not have is repeated', () => {
  const call = { ...testCall(), url: urlOf('/news?after=2026-01-01&offset=3&page=2&key=secret') };
  const page = { max: 10, maxOffset: 100, number: 'query.page', links: ['key'] };
  const place = { size: 10, cursor: undefined, skipped: 10, by: 'number' } as const;
  const facts = { next: null, previous: null, hasNext: true, pages: 3 };
  const kept = '/news?after=2026-01-01&offset=3';
  expect(pageLinks(call, page, place, facts, false)).toEqual({
    self: `${kept}&page=2`,
    first: kept,
    prev: `${kept}&page=1`,
    next: `${kept}&page=3`,
    last: `${kept}&page=3`,
    header: `<${kept}>; rel="first", <${kept}&page=1>; rel="prev", <${kept}&page=3>; rel="next", <${kept}&page=3>; rel="last"`,
  });
});
