/** Forged tokens, and key servers that hang, lie or replace their keys. */
import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { accept, withScopes } from '../../../runtime/authentication/accept.js';
import type { Authentication } from '../../../runtime/authentication/authentication.js';
import { reply } from '../../../runtime/responses/reply.js';
import { jwt, jwtOfKey } from '../../../runtime/jwt/index.js';
import type { JwtOptions } from '../../../runtime/jwt/jwt.js';
import { readSettings } from '../../../runtime/server/settings.js';
import { StartError } from '../../../runtime/server/environment.js';
import { serve, type Served } from '../serve.js';
import {
  audience,
  claims,
  issuerName,
  KeyServer,
  sends,
  sign,
  signingKey,
  type SigningKey,
} from './issuer.js';

const keyServer = new KeyServer();
const evilServer = new KeyServer();
let keys: {
  readonly rsa: SigningKey;
  readonly ec: SigningKey;
  readonly ed: SigningKey;
  readonly evil: SigningKey;
};
let address = '';
let evilAddress = '';
/** Milliseconds by which the service's clock is ahead. */
let ahead = 0;

beforeAll(async () => {
  address = await keyServer.start();
  evilAddress = await evilServer.start();
  const [rsa, ec, ed, evil] = await Promise.all([
    signingKey('RS256', 'one'),
    signingKey('ES256', 'two'),
    signingKey('EdDSA', 'three'),
    signingKey('RS256', 'one'),
  ]);
  keys = { rsa, ec, ed, evil };
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
});

afterAll(async () => {
  vi.restoreAllMocks();
  await Promise.all([keyServer.stop(), evilServer.stop()]);
});

beforeEach(() => {
  ahead = 0;
  keyServer.requests = 0;
  keyServer.publish(keys.rsa.jwk, keys.ec.jwk, keys.ed.jwk);
  evilServer.publish(keys.evil.jwk);
});

const running: Served[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.stop()));
});

function opened(
  options: JwtOptions = {},
  own: Readonly<Record<string, string>> = {},
  create = jwt,
): Authentication {
  const users = create('users', options);
  const variables = {
    AUTHENTICATION_USERS_ISSUER: issuerName,
    AUTHENTICATION_USERS_AUDIENCE: audience,
    AUTHENTICATION_USERS_JWKS: address,
    ...own,
  };
  readSettings({ variables, authentications: [users] });
  return users;
}

async function started(
  options: JwtOptions = {},
  own: Readonly<Record<string, string>> = {},
  create = jwt,
): Promise<Served> {
  const users = opened(options, own, create);
  const handler = ({ caller }: { readonly caller: unknown }): ReturnType<typeof reply> =>
    reply(200, JSON.parse(JSON.stringify({ caller })) as never);
  const served = await serve([
    { method: 'GET', path: '/me', handler, access: accept(users) },
    { method: 'POST', path: '/me', handler, access: accept(users) },
    { method: 'GET', path: '/orders', handler, access: accept(withScopes(users, 'orders:read')) },
  ]);
  running.push(served);
  return served;
}

function get(served: Served, token: string, path = '/me'): Promise<Response> {
  return fetch(`${served.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
}

const seconds = (from: number): number => Math.floor(Date.now() / 1000) + from;
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const withHmac = (secret: string, header: object, payload: unknown = claims()): string => {
  const text = `${encoded(header)}.${encoded(payload)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};
const pem = ({ jwk }: SigningKey): string =>
  createPublicKey({ key: { ...jwk }, format: 'jwk' })
    .export({ type: 'spki', format: 'pem' })
    .toString();

describe('a token', () => {
  type Try = readonly [string, number, () => string | Promise<string>];
  const tries: readonly Try[] = [
    ['that is right', 200, () => sign(keys.rsa)],
    ['of an elliptic curve', 200, () => sign(keys.ec)],
    ['of Ed25519', 200, () => sign(keys.ed)],
    ['that ended within the tolerance', 200, () => sign(keys.rsa, claims({ exp: seconds(-15) }))],
    ['that has ended', 401, () => sign(keys.rsa, claims({ exp: seconds(-60) }))],
    ['that never ends', 401, () => sign(keys.rsa, claims({ exp: undefined }))],
    ['whose end is a string', 401, () => sign(keys.rsa, claims({ exp: '9999999999' }))],
    ['that is valid soon, within the tolerance', 200, () => sign(keys.rsa, claims({ nbf: seconds(15) }))],
    ['that is not valid yet', 401, () => sign(keys.rsa, claims({ nbf: seconds(60) }))],
    ['for somebody else', 401, () => sign(keys.rsa, claims({ aud: 'invoices' }))],
    ['for several', 200, () => sign(keys.rsa, claims({ aud: ['invoices', audience] }))],
    ['for nobody', 401, () => sign(keys.rsa, claims({ aud: undefined }))],
    ['of another issuer', 401, () => sign(keys.rsa, claims({ iss: 'https://evil.example' }))],
    ['of no issuer', 401, () => sign(keys.rsa, claims({ iss: undefined }))],
    ['of another key with the same name', 401, () => sign(keys.evil)],
    ['of a key that names another algorithm', 401, () => sign({ ...keys.rsa, kid: 'two' })],
    ['without the name of its key', 200, () => sign(keys.rsa, claims(), { kid: undefined })],
    ['whose key is a path', 401, () => sign({ ...keys.evil, kid: '../../../../dev/null' })],
    ['whose key is SQL', 401, () => sign({ ...keys.evil, kid: "one' OR '1'='1" })],
    ['whose key is an address', 401, () => sign({ ...keys.evil, kid: evilAddress })],
    ['with its own key', 401, () => sign(keys.evil, claims(), { jwk: keys.evil.jwk })],
    ['with the address of its own keys', 401, () => sign(keys.evil, claims(), { jku: evilAddress })],
    ['with the address of its own certificate', 401, () => sign(keys.evil, claims(), { x5u: evilAddress })],
    ['that is right, with an address all the same', 401, () => sign(keys.rsa, claims(), { jku: address })],
    ['without a signature', 401, () => `${encoded({ alg: 'none' })}.${encoded(claims())}.`],
    [
      'without a signature, in capitals',
      401,
      () => `${encoded({ alg: 'NONE', kid: 'one' })}.${encoded(claims())}.`,
    ],
    [
      'whose signature is cut off',
      401,
      async () => `${(await sign(keys.rsa)).split('.').slice(0, 2).join('.')}.`,
    ],
    ['whose secret is the public key', 401, () => withHmac(pem(keys.rsa), { alg: 'HS256', kid: 'one' })],
    [
      'whose secret is the public key as JSON',
      401,
      () => withHmac(JSON.stringify(keys.rsa.jwk), { alg: 'HS256', kid: 'one' }),
    ],
    ['whose secret is empty', 401, () => withHmac('', { alg: 'HS256', kid: 'one' })],
    [
      'with other claims than those that were signed',
      401,
      async () => {
        const [head, , signature] = (await sign(keys.rsa)).split('.');
        return `${head}.${encoded(claims({ sub: 'eve' }))}.${signature}`;
      },
    ],
    [
      'with an extension that nobody knows',
      401,
      async () => {
        const header = { alg: 'RS256', kid: 'one', crit: ['exp'], exp: 1 };
        return sign(keys.rsa, claims(), header).catch(() => `${encoded(header)}.${encoded(claims())}.AA`);
      },
    ],
    ...[{}, { id: 1 }, [], ['ada'], true, false].map((sub): Try => [
      `for ${JSON.stringify(sub)}`,
      401,
      () => sign(keys.rsa, claims({ sub })),
    ]),
    ['for a number', 200, () => sign(keys.rsa, claims({ sub: 7 }))],
    ['for no one by name', 200, () => sign(keys.rsa, claims({ sub: undefined }))],
    ['with five parts', 401, async () => `${await sign(keys.rsa)}.a.b`],
    ['that is longer than 8 KiB', 401, () => sign(keys.rsa, claims({ long: 'x'.repeat(8000) }))],
    ['of nothing', 401, () => ''],
    ['of dots', 401, () => '..'],
    ['of no JSON', 401, () => 'a.b.c'],
    ['of null', 401, () => `${encoded(null)}.${encoded(null)}.AA`],
    ['twice', 401, async () => `${await sign(keys.rsa)}, Bearer ${await sign(keys.rsa)}`],
  ];

  test.each(tries)('%s is %i', async (_, status, token) => {
    const served = await started();
    const response = await get(served, await token());
    expect(response.status).toBe(status);
    const challenge = response.headers.get('www-authenticate');
    expect(challenge).toBe(status === 200 ? null : 'Bearer realm="service", error="invalid_token"');
    expect(evilServer.requests).toBe(0);
  });

  test.each(['one', undefined])('of the second of two keys with the name %s', async (kid) => {
    const other = await signingKey('RS256', 'one');
    keyServer.publish(
      ...[keys.rsa, other].map(({ jwk }) => JSON.parse(JSON.stringify({ ...jwk, kid })) as object),
    );
    const served = await started();
    const tokens = [other, keys.rsa, keys.evil].map((key) => sign(key, claims(), { kid }));
    const statuses = tokens.map(async (token) => (await get(served, await token)).status);
    expect(await Promise.all(statuses)).toEqual([200, 200, 401]);
  });

  test('is in no other place of a request', async () => {
    const token = await sign(keys.rsa);
    const { url } = await started();
    const places = [
      fetch(`${url}/me?access_token=${token}&authorization=Bearer%20${token}`),
      fetch(`${url}/me`, { headers: { cookie: `authorization=Bearer ${token}; session=${token}` } }),
      fetch(`${url}/me`, {
        headers: { 'x-authorization': `Bearer ${token}`, 'proxy-authorization': `Bearer ${token}` },
      }),
      fetch(`${url}/me`, { headers: { authorization: token } }),
      fetch(`${url}/me`, { headers: { authorization: `Basic ${token}` } }),
      fetch(`${url}/me`, { method: 'POST', body: new URLSearchParams({ access_token: token }) }),
    ];
    expect((await Promise.all(places)).map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401]);
  });

  test('is the caller with all its claims, and nothing else is', async () => {
    const served = await started();
    const own = { authentication: 'admin', roles: ['a'], nested: { b: 1 } };
    const token = await sign(keys.rsa, claims({ ...own, exp: 4102444800, iat: 1 }));
    const response = await fetch(`${served.url}/me?sub=eve&tenant=2`, {
      headers: {
        authorization: `Bearer ${token}`,
        sub: 'eve',
        'x-caller': '{"sub":"eve"}',
        cookie: 'sub=eve',
      },
    });
    expect(await response.json()).toEqual({
      caller: {
        iss: issuerName,
        aud: audience,
        sub: 'ada',
        tenant: 1,
        iat: 1,
        exp: 4102444800,
        ...own,
        authentication: 'users',
      },
    });
  });

  test('has scopes as a string, as a list or in a claim of its own', async () => {
    const served = await started();
    const status = async (own: Readonly<Record<string, unknown>>, where = served): Promise<number> =>
      (await get(where, await sign(keys.rsa, claims(own)), '/orders')).status;
    expect(await status({ scope: 'a orders:read' })).toBe(200);
    expect(await status({ scp: ['orders:read'] })).toBe(200);
    expect(await status({ scope: 'orders:read:all' })).toBe(403);
    expect(await status({ permissions: ['orders:read'] })).toBe(403);
    const narrow = await started({ scopesClaim: 'permissions' });
    expect(await status({ permissions: ['orders:read'] }, narrow)).toBe(200);
    expect(await status({ scope: 'orders:read' }, narrow)).toBe(403);
    const response = await get(served, await sign(keys.rsa), '/orders');
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer realm="service", error="insufficient_scope", scope="orders:read"',
    );
  });

  test('is refused if its algorithm is not among those that are left', async () => {
    const served = await started({ algorithms: ['ES256'] });
    expect((await get(served, await sign(keys.ec))).status).toBe(200);
    expect((await get(served, await sign(keys.rsa))).status).toBe(401);
  });

  test('in a cookie needs a known page for changes', async () => {
    const { url } = await started({ cookie: 'session' }, { CORS_ORIGIN: 'https://app.example' });
    const cookie = `session=${await sign(keys.rsa)}`;
    const post = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await fetch(`${url}/me`, { method: 'POST', headers: { cookie, ...headers } })).status;
    expect((await fetch(`${url}/me`, { headers: { cookie } })).status).toBe(200);
    expect(await post({})).toBe(403);
    expect(await post({ origin: 'https://evil.example' })).toBe(403);
    expect(await post({ origin: 'https://app.example.evil.example' })).toBe(403);
    expect(await post({ origin: 'null' })).toBe(403);
    expect(await post({ origin: 'https://app.example' })).toBe(200);
    expect(await post({ origin: url })).toBe(200);
  });

  test('with another word before it', async () => {
    const served = await started({ scheme: 'Token' });
    const token = await sign(keys.rsa);
    const response = await fetch(`${served.url}/me`, { headers: { authorization: `Token ${token}` } });
    expect(response.status).toBe(200);
    expect((await get(served, token)).status).toBe(401);
  });
});

describe('one key', () => {
  const secret = 'a-secret-of-at-least-32-bytes-for-tests';
  const withKey = (key: string): Promise<Served> => started({}, { AUTHENTICATION_USERS_KEY: key }, jwtOfKey);

  test('that is public verifies its own tokens, and is no secret', async () => {
    const served = await withKey(pem(keys.rsa).replaceAll('\n', String.raw`\n`));
    expect((await get(served, await sign(keys.rsa))).status).toBe(200);
    expect((await get(served, await sign(keys.evil))).status).toBe(401);
    expect((await get(served, withHmac(pem(keys.rsa), { alg: 'HS256' }))).status).toBe(401);
  });

  test('that is secret verifies HS256, and no public algorithm', async () => {
    const served = await withKey(secret);
    expect((await get(served, withHmac(secret, { alg: 'HS256' }))).status).toBe(200);
    for (const payload of [[claims()], null, 'ada'])
      expect((await get(served, withHmac(secret, { alg: 'HS256' }, payload))).status).toBe(401);
    expect(
      (await get(served, withHmac('another-secret-of-at-least-32-bytes', { alg: 'HS256' }))).status,
    ).toBe(401);
    expect((await get(served, await sign(keys.rsa))).status).toBe(401);
  });

  test.each([
    ['short', 'secret', /_KEY is shorter than 32 bytes/],
    [
      'private',
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
      /_KEY is a private key/,
    ],
    [
      'of 1024 bits',
      generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'pem' }),
      /_KEY has fewer than 2048 bits/,
    ],
    ['broken', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', /_KEY is not a public key/],
    [
      'of a kind that signs nothing',
      generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' }),
      /_KEY is not a public key of RSA, EC or Ed25519 in PEM/,
    ],
  ])('that is %s stops the start', (_, key, problem) => {
    const start = (): unknown => opened({}, { AUTHENTICATION_USERS_KEY: String(key) }, jwtOfKey);
    expect(start).toThrow(StartError);
    expect(problemsOf(start).join()).toMatch(problem);
    expect(problemsOf(start).join()).not.toContain(String(key));
  });

  test('an issuer of blanks stops the start', () => {
    expect(problemsOf(() => opened({}, { AUTHENTICATION_USERS_ISSUER: ' ' }))).toEqual([
      'AUTHENTICATION_USERS_ISSUER is empty: it is the field issuer of the authentication users',
    ]);
  });

  test.each(['http://id.example/keys', 'ftp://id.example/keys', 'keys'])(
    'address %s stops the start',
    (url) => {
      expect(problemsOf(() => opened({}, { AUTHENTICATION_USERS_JWKS: url })).join()).toMatch(
        /_JWKS (?:must|is)/,
      );
    },
  );
});

function problemsOf(start: () => unknown): readonly string[] {
  try {
    start();
  } catch (error) {
    if (error instanceof StartError) return error.problems;
  }
  return [];
}

describe('a key server', () => {
  const minute = 60_000;
  const status = async (served: Served, key: SigningKey): Promise<number> =>
    (await get(served, await sign(key))).status;

  test('that replaces its keys: the new one is asked for, the old one ends', async () => {
    const served = await started();
    expect(await status(served, keys.rsa)).toBe(200);
    const next = await signingKey('RS256', 'next');
    keyServer.publish(next.jwk);
    // The keys were fetched too recently to be fetched again.
    expect(await status(served, next)).toBe(401);
    ahead += 31_000;
    expect(await status(served, next)).toBe(200);
    expect(await status(served, keys.rsa)).toBe(401);
    expect(keyServer.requests).toBe(2);
  });

  test('is asked once for many requests, and not for each key that nobody has', async () => {
    const served = await started();
    const first = await Promise.all(Array.from({ length: 10 }, () => status(served, keys.rsa)));
    expect(new Set(first)).toEqual(new Set([200]));
    expect(keyServer.requests).toBe(1);
    ahead += 31_000;
    const unknown = Array.from({ length: 20 }, (_, index) =>
      status(served, { ...keys.evil, kid: `k${index}` }),
    );
    expect(new Set(await Promise.all(unknown))).toEqual(new Set([401]));
    expect(keyServer.requests).toBe(2);
  });

  test('that is not there is 503 with Retry-After, and not 401, until it is', async () => {
    keyServer.behaviour = sends(500, 'no');
    const served = await started();
    const response = await get(served, await sign(keys.rsa));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await response.json()).toEqual({ message: 'The keys for tokens cannot be read' });
    keyServer.publish(keys.rsa.jwk);
    ahead += 2000;
    expect(await status(served, keys.rsa)).toBe(200);
  });

  test('that has failed and then falls silent: nobody waits for it, and its new keys are used', async () => {
    const served = await started();
    expect(await status(served, keys.rsa)).toBe(200);
    keyServer.behaviour = sends(500, 'no');
    ahead += 11 * minute;
    expect(await status(served, keys.rsa)).toBe(200);
    const silent = new Promise<ServerResponse>((resolve) => {
      keyServer.behaviour = (_, response) => {
        resolve(response);
      };
    });
    ahead += 31_000;
    expect(await status(served, keys.rsa)).toBe(200);
    const response = await silent;
    // The request for keys has not timed out.
    expect(response.closed).toBe(false);
    const next = await signingKey('RS256', 'next');
    response.end(JSON.stringify({ keys: [next.jwk] }));
    await expect.poll(() => status(served, next)).toBe(200);
  });

  test('that fails later: its keys are used for a day', async () => {
    const served = await started();
    expect(await status(served, keys.rsa)).toBe(200);
    keyServer.behaviour = sends(500, 'no');
    ahead += 11 * minute;
    expect(await status(served, keys.rsa)).toBe(200);
    expect(keyServer.requests).toBe(2);
    expect(await status(served, keys.rsa)).toBe(200);
    expect(keyServer.requests).toBe(2);
    ahead += 24 * 60 * minute;
    expect(await status(served, keys.rsa)).toBe(503);
  });

  test.each<[string, () => void]>([
    [
      'sends a page',
      () => {
        keyServer.behaviour = sends(200, '<html></html>');
      },
    ],
    [
      'sends no keys',
      () => {
        keyServer.behaviour = sends(200, '{"keys":[]}');
      },
    ],
    [
      'sends a list',
      () => {
        keyServer.behaviour = sends(200, '[]');
      },
    ],
    [
      'sends a secret',
      () => {
        keyServer.publish({ kty: 'oct', k: 'AAAA', kid: 'one', alg: 'HS256' });
      },
    ],
    [
      'sends a key that encrypts',
      () => {
        keyServer.publish({ ...keys.rsa.jwk, use: 'enc' });
      },
    ],
    [
      'leads elsewhere',
      () => {
        keyServer.behaviour = sends(302, '', { location: evilAddress });
      },
    ],
    [
      'sends more than 1 MiB',
      () => {
        keyServer.publish(keys.rsa.jwk, { kty: 'RSA', n: 'x'.repeat(1024 * 1024) });
      },
    ],
    [
      'closes the connection',
      () => {
        keyServer.behaviour = (request) => request.socket.destroy();
      },
    ],
  ])('that %s is 503', async (_, misbehave) => {
    misbehave();
    const served = await started();
    expect(await status(served, keys.rsa)).toBe(503);
    expect(await status(served, keys.evil)).toBe(503);
    expect(evilServer.requests).toBe(0);
  });
});
