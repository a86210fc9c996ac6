/** Open operations that work with cookies and secrets: which pages, and which programs, may call them. */
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accept, knownPages, optional } from '../../../runtime/authentication/index.js';
import { apiKey } from '../../../runtime/apikey/api-key.js';
import { createRouter } from '../../../runtime/http/router.js';
import { reply } from '../../../runtime/responses/reply.js';
import { readSettings } from '../../../runtime/server/settings.js';
import { serve, type Served } from '../serve.js';

const key = 'a-key-of-more-than-thirty-two-characters';
const staff = apiKey('staff', { header: 'X-Key', keys: ['a'] });
const handler = () => reply(200, null);

let served: Served;
beforeAll(async () => {
  const routes = [
    { method: 'POST', path: '/log-in', access: knownPages([]), handler },
    { method: 'GET', path: '/renewal', access: knownPages(['a', '__Host-session']), handler },
    {
      ...{ method: 'POST', path: '/optional', handler },
      access: knownPages(['session'], accept(optional(staff))),
    },
  ];
  const { readers } = createRouter(routes);
  expect(readers).toHaveLength(3);
  readSettings({
    variables: { CORS_ORIGIN: 'https://app.example', AUTHENTICATION_STAFF_KEY_A: key },
    authentications: [staff, ...readers],
  });
  served = await serve(routes);
});
afterAll(() => served.stop());

function ask(target: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  const [method, path = ''] = target.split(' ');
  return new Promise((resolve, reject) => {
    const outgoing = request(`${served.url}${path}`, { method, headers }, (response) => {
      response.resume().on('end', () => {
        resolve(response.statusCode);
      });
    });
    outgoing.on('error', reject).end();
  });
}

const session = { cookie: 'other=1; __Host-session=x' };

test.each([
  ['POST /log-in', {}, 200],
  ['POST /log-in', { cookie: 'any=1' }, 200],
  ['POST /log-in', { origin: 'https://app.example' }, 200],
  ['POST /log-in', { origin: 'https://evil.example' }, 403],
  ['POST /log-in', { origin: 'null' }, 403],
  ['POST /log-in', { 'sec-fetch-site': 'cross-site' }, 403],
  ['POST /log-in', { 'sec-fetch-site': 'same-site' }, 403],
  ['POST /log-in', { 'sec-fetch-site': 'same-origin' }, 200],
  ['POST /log-in', { 'sec-fetch-site': 'none' }, 200],
  ['GET /renewal', {}, 200],
  ['GET /renewal', session, 403],
  ['GET /renewal', { cookie: 'other=1' }, 200],
  ['GET /renewal', { ...session, 'sec-fetch-site': 'none' }, 200],
  ['GET /renewal', { ...session, 'sec-fetch-site': 'same-origin' }, 200],
  ['GET /renewal', { ...session, origin: 'https://app.example' }, 200],
  ['GET /renewal', { 'sec-fetch-site': 'cross-site' }, 403],
  ['POST /optional', {}, 200],
  ['POST /optional', { 'x-key': key }, 200],
  ['POST /optional', { 'x-key': 'wrong' }, 401],
  ['POST /optional', { 'x-key': key, origin: 'https://evil.example' }, 403],
  ['POST /optional', { 'x-key': key, cookie: 'session=x' }, 403],
] as const)('%s with %j: %i', async (target, headers, status) => {
  expect(await ask(target, headers)).toBe(status);
});

test('the service itself is a known page', async () => {
  expect(await ask('POST /log-in', { origin: served.url })).toBe(200);
});
