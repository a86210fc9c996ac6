/** The ports of `apikiln dev` respond only to host names of this machine. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Front } from '../../compiler/tools/dev/front.js';
import { isForOwnHost, ownHosts } from '../../compiler/tools/local/own-hosts.js';
import { StubServer } from '../../compiler/tools/local/stub-server.js';
import { statusFor } from './status-for.js';

let front: Front;
let port: number;

beforeEach(async () => {
  front = new Front({ overlay: '', loginScript: '', seen: () => undefined, ran: () => undefined });
  port = await front.listen('127.0.0.1', 0);
  front.open();
});
afterEach(() => front.close());

test.each(['/', '/docs-ui', '/docs-ui/apikiln-dev.js', '/docs-ui/apikiln-dev/events'])(
  'a name that was pointed to this machine gets 403: %s',
  async (path) => {
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      '127.0.0.1.evil.example',
    ])
      expect(await statusFor(host, port, path)).toBe(403);
    for (const host of [`localhost:${port}`, '127.0.0.1', `[::1]:${port}`, 'api.localhost', 'LOCALHOST'])
      expect(await statusFor(host, port, path)).not.toBe(403);
  },
);

test('HOST is accepted, and addresses where all of them are listened on', () => {
  expect(isForOwnHost('Dev.example:8080', ownHosts('dev.example'))).toBe(true);
  expect(isForOwnHost('192.168.1.7:8080', ownHosts('0.0.0.0'))).toBe(true);
  expect(isForOwnHost('[fe80::1]:8080', ownHosts('::'))).toBe(true);
  expect(isForOwnHost('evil.example', ownHosts('0.0.0.0'))).toBe(false);
  expect(isForOwnHost('192.168.1.7', ownHosts('127.0.0.1'))).toBe(false);
  expect(isForOwnHost('', ownHosts('127.0.0.1'))).toBe(false);
});

test('stubs of third parties refuse other hosts, and do not play', async () => {
  const played: string[] = [];
  const server = await StubServer.start(({ path }) => {
    played.push(path);
    return {};
  });
  const stub = Number(new URL(server.url).port);
  expect(await statusFor(`evil.example:${stub}`, stub, '/other')).toBe(403);
  expect(await statusFor(`127.0.0.1:${stub}`, stub, '/own')).toBe(200);
  expect(played).toEqual(['/own']);
  await server.stop();
});
