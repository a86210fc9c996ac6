/** The key server of `dev`: with the keys of an issuer, and with its own key whatever the issuer does. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KeyRelay } from '../../compiler/tools/dev/key-relay.js';
import { statusFor } from './status-for.js';

const own = { kty: 'EC', kid: 'own' };
const theirs = { kty: 'EC', kid: 'theirs' };

let lines: string[];
let relay: KeyRelay;
let servers: Server[] = [];

beforeEach(() => {
  lines = [];
  relay = new KeyRelay((line) => lines.push(line));
});
afterEach(async () => {
  await relay.stop();
  for (const server of servers) server.close().closeAllConnections();
  servers = [];
});

/** The address of an issuer's keys. */
async function issuer(respond: RequestListener): Promise<string> {
  const server = createServer(respond);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys?token=s3cr3t`;
}

async function keysAt(address: string): Promise<unknown> {
  return ((await (await fetch(address)).json()) as { keys: unknown }).keys;
}

test('the keys of the issuer and the own one, with one request for several at the same time', async () => {
  let requests = 0;
  const address = await issuer((_, response) => {
    requests += 1;
    response.end(JSON.stringify({ keys: [theirs] }));
  });
  const url = await relay.addressFor('users & more', own, address);
  expect(await Promise.all([keysAt(url), keysAt(url), keysAt(url)])).toEqual(Array(3).fill([theirs, own]));
  expect(requests).toBe(1);
  // The next version of the service has the same address.
  expect(await relay.addressFor('users & more', own, address)).toBe(url);
  expect(lines).toEqual([]);
});

test.each<[string, RequestListener, RegExp]>([
  ['an error', (_, response) => response.writeHead(500).end(), /\(status 500\)/],
  ['a redirect', (_, response) => response.writeHead(302, { location: '/' }).end(), /\(the request failed\)/],
  ['no JSON', (_, response) => response.end('<html>'), /\(not JSON\)/],
  ['no keys', (_, response) => response.end('{"keys":{}}'), /\(not a set of keys\)/],
  ['too much', (_, response) => response.end('a'.repeat(2 * 1024 * 1024)), /\(more than 1048576 bytes\)/],
  ['a body that never ends', (_, response) => response.write('{'), /\(no response within 2500 ms\)/],
  ['no response', () => undefined, /\(no response within 2500 ms\)/],
])('%s of the issuer: the own key, and one line without the address', async (_, respond, reason) => {
  const url = await relay.addressFor('users', own, await issuer(respond));
  expect(await keysAt(url)).toEqual([own]);
  expect(await keysAt(url)).toEqual([own]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(reason);
  expect(lines[0]).not.toContain('s3cr3t');
});

test('without an issuer, the own key alone; other paths, methods and hosts have nothing', async () => {
  const url = await relay.addressFor('users', own, undefined);
  expect(await keysAt(url)).toEqual([own]);
  expect((await fetch(url.replace('users', 'others'))).status).toBe(404);
  expect((await fetch(url.replace('users', '%E0%A4%A'))).status).toBe(404);
  expect((await fetch(url, { method: 'POST' })).status).toBe(404);
  expect(await statusFor('attacker.example', Number(new URL(url).port), '/users')).toBe(403);
});
