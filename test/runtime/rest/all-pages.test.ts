/** Pages of third-party lists: the ways to name the next page, and what is sent with the request for it. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../../runtime/handler/json.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { allPages } from '../../../runtime/rest/all-pages.js';
import { rest, type RestDatasource } from '../../../runtime/rest/rest.js';
import { testCall } from '../../helpers/test-call.js';
import { ThirdParty } from '../../helpers/third-party.js';

let api: ThirdParty;
/** The Link header of the first page. */
let link: string;
const opened: RestDatasource[] = [];

beforeAll(async () => {
  api = await ThirdParty.start(({ url }, response) => {
    const isFirst = url === '/list';
    response.writeHead(200, { 'content-type': 'application/json', ...(isFirst ? { link } : {}) });
    response.end(isFirst ? '[1]' : '[2]');
  });
});
afterEach(() => {
  for (const datasource of opened.splice(0)) datasource.close();
  api.take();
});
afterAll(() => api.stop());

function opening(base: string): RestDatasource {
  const datasource = rest({ name: 'api', needsUrl: base !== '' });
  datasource.open({ url: base, header: { 'x-key': 'secret' }, responseLimit: 1000 });
  opened.push(datasource);
  return datasource;
}

function list(of: RestDatasource, url: string | URL): Promise<Json> {
  const pages = allPages({ next: 'link', max: 10 });
  const definition = { operation: 'GET /x', fulfillment: 'x', method: 'GET', pages };
  return of
    .request(definition)(testCall(), { url })
    .catch((error: unknown) => {
      if (error instanceof ServiceError) return [error.status, error.details.log?.['reason'] ?? null];
      throw error;
    });
}

test.each<[string, string]>([
  ['alone', '</2>; rel="next"'],
  ['after others', '</1>; rel="prev", </2>; title="a, b; c"; rel="last next"'],
  ['after one without an end', '</1; rel="next", </2>; rel=next'],
  ['after something that is not a link', 'next, <>; x, </2>;rel="next"'],
  ['as a whole URL', '<API/2>; rel="next"'],
])('a link to the next page, %s', async (_, header) => {
  link = header.replace('API', api.url);
  expect(await list(opening(api.url), '/list')).toEqual([1, 2]);
  expect(api.take().map(({ request }) => request)).toEqual(['GET /list', 'GET /2']);
});

test.each([
  'http://eve:hush@HOST/2',
  'http://eve@HOST/2',
  'https://HOST/2',
  'http://HOST.example/2',
  'http://[',
])('a link to %s is none of the same API', async (next) => {
  link = `<${next.replace('HOST', new URL(api.url).host)}>; rel="next"`;
  expect(await list(opening(api.url), '/list')).toEqual([502, 'a next page of another origin']);
});

test('of a URL that is a value, no page has the headers of another API', async () => {
  link = '</2>; rel="next"';
  expect(await list(opening('http://other.example'), new URL(`${api.url}/list`))).toEqual([1, 2]);
  expect(api.take().map(({ headers }) => headers['x-key'])).toEqual([undefined, undefined]);
});

test('without a URL of its own, a datasource sends its headers where the configuration says, and to no value', async () => {
  link = '</2>; rel="next"';
  const datasource = opening('');
  expect(await list(datasource, `${api.url}/list`)).toEqual([1, 2]);
  expect(await list(datasource, new URL(`${api.url}/list`))).toEqual([1, 2]);
  expect(api.take().map(({ headers }) => headers['x-key'])).toEqual([
    'secret',
    'secret',
    undefined,
    undefined,
  ]);
});
