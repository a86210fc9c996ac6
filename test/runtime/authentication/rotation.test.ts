/** Secrets that are replaced without a build: each type of authentication accepts two values of a secret at the same time. */
import { createHook } from 'node:async_hooks';
import { createHmac, createPublicKey, scryptSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { apiKey } from '../../../runtime/apikey/api-key.js';
import { accept } from '../../../runtime/authentication/accept.js';
import type { Authentication } from '../../../runtime/authentication/authentication.js';
import { basicAuth } from '../../../runtime/basicauth/basic-auth.js';
import { jsonBody } from '../../../runtime/http/json-body.js';
import { jwt, jwtOfKey } from '../../../runtime/jwt/index.js';
import { hashedAccount } from '../../../runtime/password-hash/hashed-account.js';
import { reply } from '../../../runtime/responses/reply.js';
import { StartError } from '../../../runtime/server/environment.js';
import { readSettings } from '../../../runtime/server/settings.js';
import { signature } from '../../../runtime/signature/signature.js';
import { audience, claims, issuerName, sign, signingKey, type SigningKey } from '../jwt/issuer.js';
import { serve, type Served } from '../serve.js';

type Headers = Readonly<Record<string, string>>;

/** A type with one secret, by the end of its variable. */
interface Type {
  readonly create: () => Authentication;
  readonly others?: Headers;
  readonly suffix: string;
  /** The value of the setting for a secret, if it is another one. */
  readonly setting?: (secret: string) => string;
  /** A value that is not valid. */
  readonly invalid: string;
  readonly headers: (secret: string) => Headers | Promise<Headers>;
}

const body = '{"n":1}';
const secrets = ['first', 'second', 'third'].map((word) => `${word}-secret-of-at-least-32-characters`);
const [first = '', second = '', third = ''] = secrets;

const salt = Buffer.from('0123456789abcdef');
const plain = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
const hashOf = (password: string): string =>
  `$scrypt$ln=12,r=8,p=1$${plain(salt)}$${plain(scryptSync(password, salt, 32, { N: 4096, r: 8, p: 1 }))}`;

const basic = (secret: string, user = 'ada'): Headers => ({
  authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`,
});
const hs256 = (secret: string): Headers => {
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encoded({ alg: 'HS256' })}.${encoded(claims())}`;
  return { authorization: `Bearer ${text}.${createHmac('sha256', secret).update(text).digest('base64url')}` };
};
const issued = { AUTHENTICATION_X_ISSUER: issuerName, AUTHENTICATION_X_AUDIENCE: audience };

const types: Readonly<Record<string, Type>> = {
  basicauth: {
    ...{ create: () => basicAuth('x'), others: { AUTHENTICATION_X_USER: 'ada' }, suffix: 'PASSWORD' },
    ...{ invalid: 'a\nb', headers: basic },
  },
  'basicauth with a hash': {
    ...{
      create: () => hashedAccount('x'),
      others: { AUTHENTICATION_X_USER: 'ada' },
      suffix: 'PASSWORD_HASH',
    },
    ...{ setting: hashOf, invalid: 'no hash', headers: basic },
  },
  'jwt with a key': {
    ...{ create: () => jwtOfKey('x'), others: issued, suffix: 'KEY', invalid: 'short', headers: hs256 },
  },
  apikey: {
    ...{ create: () => apiKey('x', { header: 'X-Key', keys: ['acme'] }), suffix: 'KEY_ACME' },
    ...{ invalid: 'short', headers: (secret) => ({ 'x-key': secret }) },
  },
  signature: {
    ...{ create: () => signature('x', { scheme: 'standard-webhooks' }), suffix: 'SECRET' },
    ...{ setting: (secret: string) => Buffer.from(secret).toString('base64'), invalid: 'no base64' },
    headers(secret) {
      const time = String(Math.floor(Date.now() / 1000));
      const mac = createHmac('sha256', secret).update(`msg_1.${time}.${body}`).digest('base64');
      return { 'webhook-id': 'msg_1', 'webhook-timestamp': time, 'webhook-signature': `v1,${mac}` };
    },
  },
};

const running: Served[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.stop()));
});

/** Serves an operation for these authentications; returns the caller, or the status of a refusal. */
async function started(
  authentications: readonly Authentication[],
  variables: Headers,
): Promise<(headers: Headers) => Promise<unknown>> {
  readSettings({ variables, authentications });
  const handler = ({ caller }: { readonly caller: unknown }): ReturnType<typeof reply> =>
    reply(200, JSON.parse(JSON.stringify(caller)) as never);
  const route = { method: 'POST', path: '/me', handler, body: jsonBody, access: accept(...authentications) };
  const served = await serve([route]);
  running.push(served);
  return async (headers) => {
    const response = await fetch(`${served.url}/me`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    return response.status === 200 ? await response.json() : response.status;
  };
}

function problemsOf(authentication: Authentication, variables: Headers): readonly string[] {
  try {
    readSettings({ variables, authentications: [authentication] });
    return [];
  } catch (error) {
    if (error instanceof StartError) return error.problems;
    throw error;
  }
}

describe.each(Object.entries(types))('%s', (_, type) => {
  const { create, others = {}, suffix, setting = (secret) => secret, invalid, headers } = type;
  const variable = `AUTHENTICATION_X_${suffix}`;
  const withValues = (...values: readonly (string | undefined)[]): Headers =>
    Object.fromEntries([
      ...Object.entries(others),
      ...values.flatMap((value, index) =>
        value === undefined ? [] : [[index === 0 ? variable : `${variable}_${index + 1}`, value]],
      ),
    ]) as Headers;

  test.each([
    ['alone', undefined],
    ['with an empty second value', ''],
  ])('the first value %s', async (_name, empty) => {
    const ask = await started([create()], withValues(setting(first), empty));
    expect(await ask(await headers(first))).toMatchObject({ authentication: 'x' });
    expect(await ask(await headers(second))).toBe(401);
    expect(await ask(await headers(''))).toBe(401);
  });

  test('two values are valid at the same time, for the same caller; a third one is not', async () => {
    const ask = await started([create()], withValues(setting(first), setting(second), setting(third)));
    const [one, other] = [await ask(await headers(first)), await ask(await headers(second))];
    expect(one).toMatchObject({ authentication: 'x' });
    expect((other as { sub: unknown }).sub).toEqual((one as { sub: unknown }).sub);
    expect(await ask(await headers(third))).toBe(401);
  });

  test('a second value that is not valid, or is alone, stops the start', () => {
    const wrong = problemsOf(create(), withValues(setting(first), invalid));
    expect(wrong).toHaveLength(1);
    expect(wrong[0]).toMatch(new RegExp(`^${variable}_2 (?:is|has) .*: it is a second value for `));
    const alone = problemsOf(create(), withValues(undefined, setting(second)));
    expect(alone).toHaveLength(1);
    expect(alone[0]).toMatch(new RegExp(`^${variable} is not set`));
    expect(problemsOf(create(), withValues('', setting(second)))).toHaveLength(1);
  });

  test('the second value is hidden in the log', () => {
    const settings = withValues(setting(first), setting(second));
    const { secrets: hidden, names } = readSettings({ variables: settings, authentications: [create()] });
    expect(hidden).toContain(setting(second));
    expect(names.unread).toEqual([]);
  });
});

describe('two configured secrets of signatures', () => {
  const hook = (): Authentication => signature('x', { scheme: 'github', secrets: 2 });
  const signed = (secret: string): Headers => ({
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  });

  test('the second one may be empty', async () => {
    const ask = await started([hook()], { AUTHENTICATION_X_SECRET: first, AUTHENTICATION_X_SECRET_2: '' });
    expect(await ask(signed(first))).toMatchObject({ sub: 'x' });
    expect(await ask(signed(''))).toBe(401);
  });

  test('the first one may not be empty, and neither may be missing', () => {
    const set = (one: Headers): readonly string[] => problemsOf(hook(), one);
    expect(set({ AUTHENTICATION_X_SECRET: '', AUTHENTICATION_X_SECRET_2: second })).toHaveLength(1);
    expect(set({ AUTHENTICATION_X_SECRET: first })).toEqual([
      'AUTHENTICATION_X_SECRET_2 is not set: it is a secret of the authentication x',
    ]);
  });
});

describe('keys of tokens of different kinds', () => {
  let issuer: SigningKey;
  let pem = '';
  beforeAll(async () => {
    issuer = await signingKey('RS256', 'one');
    pem = createPublicKey({ key: { ...issuer.jwk }, format: 'jwk' })
      .export({ type: 'spki', format: 'pem' })
      .toString();
  });

  test.each([0, 1])('each verifies its own algorithms alone (%i)', async (order) => {
    const values = order === 0 ? [first, pem] : [pem, first];
    const [AUTHENTICATION_X_KEY = '', AUTHENTICATION_X_KEY_2 = ''] = values;
    const ask = await started([jwtOfKey('x')], { ...issued, AUTHENTICATION_X_KEY, AUTHENTICATION_X_KEY_2 });
    expect(await ask(hs256(first))).toMatchObject({ sub: 'ada' });
    expect(await ask({ authorization: `Bearer ${await sign(issuer)}` })).toMatchObject({ sub: 'ada' });
    expect(await ask(hs256(pem))).toBe(401);
  });

  test('the address of keys has no second value', () => {
    const variables = {
      ...issued,
      AUTHENTICATION_X_JWKS: 'https://a.example/keys',
      AUTHENTICATION_X_JWKS_2: 'x',
    };
    const { names } = readSettings({ variables, authentications: [jwt('x')] });
    expect(names.unread).toEqual(['AUTHENTICATION_X_JWKS_2']);
  });
});

test('the setting of another key is no second value: its owner is another caller', async () => {
  const keys = apiKey('x', { header: 'X-Key', keys: ['acme', 'acme-2'] });
  const ask = await started([keys], {
    AUTHENTICATION_X_KEY_ACME: first,
    AUTHENTICATION_X_KEY_ACME_2: second,
    AUTHENTICATION_X_KEY_ACME_2_2: third,
  });
  const subs = secrets.map(async (secret) => ((await ask({ 'x-key': secret })) as { sub: string }).sub);
  expect(await Promise.all(subs)).toEqual(['acme', 'acme-2', 'acme-2']);
});

describe('hashes', () => {
  let computed = 0;
  const counter = createHook({
    init: (_, type) => {
      if (type === 'SCRYPTREQUEST') computed += 1;
    },
  }).enable();
  afterAll(() => counter.disable());

  test('a wrong request computes as many, whether the user exists or not; a correct pair is computed once', async () => {
    const ask = await started([hashedAccount('bob'), hashedAccount('x')], {
      AUTHENTICATION_BOB_USER: 'bob',
      AUTHENTICATION_BOB_PASSWORD_HASH: hashOf('of bob'),
      AUTHENTICATION_X_USER: 'ada',
      AUTHENTICATION_X_PASSWORD_HASH: hashOf(first),
      AUTHENTICATION_X_PASSWORD_HASH_2: hashOf(second),
    });
    for (const user of ['ada', 'bob', 'nobody']) {
      computed = 0;
      expect(await ask(basic(third, user))).toBe(401);
      expect([user, computed]).toEqual([user, 2]);
    }
    for (const secret of [first, second]) expect(await ask(basic(secret))).toMatchObject({ sub: 'ada' });
    computed = 0;
    for (const secret of [first, second, first, second])
      expect(await ask(basic(secret))).toMatchObject({ sub: 'ada' });
    expect(computed).toBe(0);
  });
});
