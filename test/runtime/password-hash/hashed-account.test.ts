/** Accounts with a hashed password: right and wrong passwords, and how much work strangers can cause. */
import { createHook } from 'node:async_hooks';
import { scryptSync } from 'node:crypto';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { accept } from '../../../runtime/authentication/accept.js';
import { basicAuth } from '../../../runtime/basicauth/basic-auth.js';
import { reply } from '../../../runtime/responses/reply.js';
import { hashedAccount } from '../../../runtime/password-hash/hashed-account.js';
import { problemOfPasswordHash } from '../../../runtime/password-hash/password-hash.js';
import { StartError } from '../../../runtime/server/environment.js';
import { readSettings } from '../../../runtime/server/settings.js';
import { serve, type Served } from '../serve.js';

/** The number of hashes computed since the service has started. */
let computed = 0;
const counter = createHook({
  init: (_, type) => {
    if (type === 'SCRYPTREQUEST') computed += 1;
  },
}).enable();
afterAll(() => counter.disable());

const salt = Buffer.from('0123456789abcdef');
const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
const hashOf = (password: string, ln = 12): string =>
  `$scrypt$ln=${ln},r=8,p=1$${base64(salt)}$${base64(scryptSync(password, salt, 32, { N: 2 ** ln, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }))}`;

const running: Served[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.stop()));
});

type LogIn = (user: string, password: string) => Promise<Response>;

async function started(): Promise<LogIn & { readonly sends: (token: string) => Promise<Response> }> {
  const accounts = [hashedAccount('ada'), hashedAccount('eve'), basicAuth('plain')];
  const variables = {
    AUTHENTICATION_ADA_USER: 'ada',
    AUTHENTICATION_ADA_PASSWORD_HASH: hashOf('žluť:secret'),
    AUTHENTICATION_EVE_USER: 'eve',
    AUTHENTICATION_EVE_PASSWORD_HASH: hashOf('other'),
    AUTHENTICATION_PLAIN_USER: 'plain',
    AUTHENTICATION_PLAIN_PASSWORD: 'plain',
  };
  readSettings({ variables, authentications: accounts });
  const served = await serve([
    {
      method: 'GET',
      path: '/me',
      handler: ({ caller }) => reply(200, caller),
      access: accept(...accounts),
    },
  ]);
  running.push(served);
  computed = 0;
  const sends = (token: string) =>
    fetch(`${served.url}/me`, { headers: { authorization: `Basic ${token}` } });
  const logIn: LogIn = (user, password) => sends(Buffer.from(`${user}:${password}`).toString('base64'));
  return Object.assign(logIn, { sends });
}

describe('an account', () => {
  test('is the caller with its password, and nobody without', async () => {
    const logIn = await started();
    const response = await logIn('ada', 'žluť:secret');
    expect(await response.json()).toEqual({ sub: 'ada', authentication: 'ada' });
    for (const [user, password] of [
      ['ada', 'other'],
      ['eve', 'žluť:secret'],
      ['ada', ''],
      ['', 'žluť:secret'],
      ['ada', hashOf('žluť:secret')],
      ['nobody', 'other'],
    ] as const)
      expect((await logIn(user, password)).status, `${user}:${password}`).toBe(401);
    const right = Buffer.from('ada:žluť:secret');
    const others = ['ada', Buffer.from('ada').toString('base64'), `${right.toString('base64')}=`, ''];
    for (const token of [...others, Buffer.from('ada:\xff', 'latin1').toString('base64')])
      expect((await logIn.sends(token)).status, token).toBe(401);
    expect((await logIn.sends(right.toString('base64'))).status).toBe(200);
  });

  test('a right pair is computed once, a wrong one each time', async () => {
    const logIn = await started();
    const all = await Promise.all(Array.from({ length: 20 }, () => logIn('ada', 'žluť:secret')));
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(computed).toBe(1);
    expect((await logIn('ada', 'žluť:secret')).status).toBe(200);
    expect(computed).toBe(1);
    await logIn('ada', 'wrong');
    await logIn('ada', 'wrong');
    expect(computed).toBe(3);
  });

  test('each wrong request computes one hash, whether the user exists or not', async () => {
    const logIn = await started();
    for (const user of ['ada', 'eve', 'nobody', 'plain']) {
      computed = 0;
      expect((await logIn(user, 'wrong')).status).toBe(401);
      expect(computed, user).toBe(1);
    }
  });

  test.each(['ada', 'nobody', 'plain'])('equal requests of %s wait for one hash', async (user) => {
    const logIn = await started();
    const responses = await Promise.all(Array.from({ length: 12 }, () => logIn(user, 'wrong')));
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 401));
    expect(computed).toBeLessThan(12);
  });

  test('at most four hashes are computed at a time; further ones are 503, and others are not kept waiting', async () => {
    const logIn = await started();
    const tries = Array.from({ length: 12 }, (_, index) => logIn('ada', `wrong ${index}`));
    expect((await logIn('plain', 'plain')).status).toBe(200);
    const responses = await Promise.all(tries);
    const refused = responses.filter(({ status }) => status === 503);
    expect(responses.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(4);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers } of refused) expect(headers.get('retry-after')).toBe('1');
  });
});

describe('a hash', () => {
  test.each([hashOf('x'), hashOf('x', 15), hashOf('x').replace('r=8', 'r=16')])('%s is one', (hash) => {
    expect(problemOfPasswordHash(hash)).toBeUndefined();
  });

  test.each([
    'secret',
    '$2b$10$abcdefghijklmnopqrstuv',
    hashOf('x').replace('ln=12', 'ln=9'),
    hashOf('x').replace('ln=12', 'ln=20'),
    hashOf('x').replace('p=1', 'p=0'),
    hashOf('x').replace('p=1', 'p=99'),
    hashOf('x').slice(0, -30),
    `${hashOf('x')}$more`,
  ])('%s is none', (hash) => {
    expect(problemOfPasswordHash(hash)).toBeDefined();
    const start = (): unknown =>
      readSettings({
        variables: { AUTHENTICATION_A_USER: 'a', AUTHENTICATION_A_PASSWORD_HASH: hash },
        authentications: [hashedAccount('a')],
      });
    expect(start).toThrow(StartError);
  });
});
