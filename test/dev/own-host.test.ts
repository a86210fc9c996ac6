/** The port of `apikiln dev` responds only to the names of this machine. */
import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Front } from '../../compiler/tools/dev/front.js';
import { isOwnHost } from '../../compiler/tools/dev/own-host.js';

let front: Front;
let port: number;

beforeEach(async () => {
  front = new Front({ overlay: '', seen: () => undefined, ran: () => undefined });
  port = await front.listen('127.0.0.1', 0);
  front.open();
});
afterEach(() => front.close());

function statusFor(host: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { port, host: '127.0.0.1', path, headers: { host }, agent: false },
      (response) => {
        response.destroy();
        resolve(response.statusCode);
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

test.each(['/', '/docs-ui', '/docs-ui/apikiln-dev.js', '/docs-ui/apikiln-dev/events'])(
  'a name that was pointed to this machine gets 403: %s',
  async (path) => {
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      '127.0.0.1.evil.example',
    ])
      expect(await statusFor(host, path)).toBe(403);
    for (const host of [`localhost:${port}`, '127.0.0.1', `[::1]:${port}`, 'api.localhost', 'LOCALHOST'])
      expect(await statusFor(host, path)).not.toBe(403);
  },
);

test('HOST is accepted, and addresses where all of them are listened on', () => {
  expect(isOwnHost('Dev.example:8080', 'dev.example')).toBe(true);
  expect(isOwnHost('192.168.1.7:8080', '0.0.0.0')).toBe(true);
  expect(isOwnHost('[fe80::1]:8080', '::')).toBe(true);
  expect(isOwnHost('evil.example', '0.0.0.0')).toBe(false);
  expect(isOwnHost('192.168.1.7', '127.0.0.1')).toBe(false);
  expect(isOwnHost('', '127.0.0.1')).toBe(false);
});
