/** Responses with secrets that their operation made: not stored by caches, and never compressed. */
import { request, type IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Authentication } from '../../../runtime/authentication/authentication.js';
import { accept } from '../../../runtime/authentication/accept.js';
import { fail } from '../../../runtime/handler/reply.js';
import { packParts, sendCompressed } from '../../../runtime/http/compression.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { headerLines } from '../../../runtime/responses/header-lines.js';
import { jsonLines } from '../../../runtime/responses/lines.js';
import { reply } from '../../../runtime/responses/reply.js';
import { streamRows } from '../../../runtime/responses/stream-rows.js';
import { sharedPostgres } from '../../helpers/shared-servers.js';
import { serve, type Served } from '../serve.js';

const long = 'text '.repeat(1000);
const header = headerLines(['Cache-Control', 'private']);
const authentication: Authentication = {
  ...{ name: 'keys', place: 'key', challenge: 'Key', isPrivate: true },
  readSettings: () => undefined,
  isTried: () => true,
  identify: () => ({ sub: 'one' }),
};

let served: Served;
beforeAll(async () => {
  const server = await sharedPostgres();
  await server.createDatabase('secret_rows');
  const rows = postgres({ name: 'rows' });
  const { user, password } = server;
  rows.open(
    { url: server.jdbcUrl('secret_rows'), user, password, pool: {} } as never,
    () => undefined,
    undefined,
  );
  const select = rows.read({ operation: 'o', fulfillment: 'f', sql: `SELECT '${long}' AS a` });
  served = await serve(
    [
      { method: 'GET', path: '/plain', handler: () => reply(200, long) },
      { method: 'GET', path: '/secret', handler: () => reply(200, long, { secret: true }) },
      { method: 'GET', path: '/own', handler: () => reply(200, long, { header, secret: true }) },
      { method: 'GET', path: '/empty', handler: () => reply(204, undefined, { secret: true }) },
      {
        ...{ method: 'GET', path: '/caller', access: accept(authentication) },
        handler: () => reply(200, long, { secret: true, etag: true }),
      },
      { method: 'GET', path: '/refused', handler: () => Promise.reject(fail(409, long, { secret: true })) },
      {
        ...{ method: 'GET', path: '/refused-body' },
        handler: () => Promise.reject(fail(409, 'm', { body: () => ({ long }), header, secret: true })),
      },
      {
        ...{ method: 'GET', path: '/rows' },
        handler: (call) =>
          reply(200, streamRows(select, call), { type: 'application/x-ndjson', as: jsonLines, secret: true }),
      },
    ],
    { sendCompressed, packParts },
  );
});
afterAll(() => served.stop());

function ask(path: string): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${served.url}${path}`,
      { headers: { 'accept-encoding': 'gzip' } },
      (response) => {
        response.resume().on('end', () => {
          resolve(response.headers);
        });
      },
    );
    outgoing.on('error', reject).end();
  });
}

test.each([
  ['/plain', undefined, 'gzip'],
  ['/secret', 'no-store', undefined],
  ['/own', 'private', undefined],
  ['/empty', 'no-store', undefined],
  ['/caller', 'no-store', undefined],
  ['/refused', 'no-store', undefined],
  ['/refused-body', 'private', undefined],
  ['/rows', 'no-store', undefined],
])('%s: Cache-Control %j, Content-Encoding %j', async (path, cache, encoding) => {
  const { 'cache-control': stored, 'content-encoding': packed, vary } = await ask(path);
  expect([stored, packed]).toEqual([cache, encoding]);
  expect(vary).toBe(encoding === undefined ? undefined : 'Accept-Encoding');
});
