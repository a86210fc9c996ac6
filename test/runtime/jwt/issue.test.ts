/** Tokens that a service issues, checks that a configuration switches off, and authentications with a key in common. */
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, test } from 'vitest';
import type { Authentication } from '../../../runtime/authentication/authentication.js';
import { RefusedCredentials } from '../../../runtime/authentication/refusal.js';
import type { Json } from '../../../runtime/handler/json.js';
import { parseJson } from '../../../runtime/handler/parse-json.js';
import { fail, ServiceError } from '../../../runtime/handler/reply.js';
import type { AccessRequest, Handler } from '../../../runtime/http/route.js';
import { jwt, jwtOfKey } from '../../../runtime/jwt/index.js';
import type { Jwt, JwtOptions } from '../../../runtime/jwt/jwt.js';
import { reply } from '../../../runtime/responses/reply.js';
import { createLog } from '../../../runtime/server/log.js';
import { Environment } from '../../../runtime/server/environment.js';

const secret = 'a-secret-of-at-least-32-bytes-for-tests';
const other = 'another-secret-of-at-least-32-bytes-for-tests';
const log = createLog('silent');

interface Opened {
  readonly users: Jwt;
  readonly problems: readonly string[];
}

function opened(options: JwtOptions, own: Readonly<Record<string, string>> = {}, name = 'users'): Opened {
  const users = jwtOfKey(name, options);
  const prefix = `AUTHENTICATION_${name.toUpperCase()}`;
  const environment = new Environment(
    {
      [`${prefix}_ISSUER`]: 'https://members.example',
      [`${prefix}_AUDIENCE`]: 'members',
      [`${prefix}_KEY`]: secret,
      ...Object.fromEntries(Object.entries(own).map(([field, value]) => [`${prefix}_${field}`, value])),
    },
    '',
  );
  users.readSettings(environment);
  return { users, problems: environment.problems };
}

async function identityOf(users: Authentication, token: string): Promise<unknown> {
  const request = { headers: { authorization: `Bearer ${token}` }, headersDistinct: {} };
  const access = { request, query: '', log, deadline: Infinity, decided: () => undefined };
  return users.identify(access as unknown as AccessRequest);
}

async function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.catch((thrown: unknown) => thrown);
  return error instanceof ServiceError ? [error.status, error.details.log?.['reason']] : error;
}

describe('an issued token', () => {
  test('has sub, the named claims and those of the service, and is accepted', async () => {
    const { users } = opened({ issue: { lifetime: 900, claims: ['role', 'tenant', 'missing'] } });
    const token = await users.sign({ sub: 'ada', role: 'admin', tenant: 7, password: 'secret', exp: 1 });
    const { iat = 0, exp = 0, ...claims } = decodeJwt(token);
    expect(claims).toEqual({
      iss: 'https://members.example',
      aud: 'members',
      sub: 'ada',
      role: 'admin',
      tenant: 7,
    });
    expect(exp - iat).toBe(900);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(await identityOf(users, token)).toMatchObject({ sub: 'ada', role: 'admin' });
    expect(await users.problemsAtStart([], log)).toEqual([]);
  });

  test('keeps all digits of numbers, and names that every object has', async () => {
    const claims = parseJson('{"sub": 12345678901234567890, "id": 98765432109876543210, "list": [1e400]}');
    const { users } = opened({ issue: { lifetime: 900, claims: ['id', 'list', 'constructor'] } });
    const payload = Buffer.from((await users.sign(claims)).split('.')[1] ?? '', 'base64url').toString();
    expect(payload).toContain('"id":98765432109876543210');
    expect(payload).toContain('"list":[1e400]');
    expect(payload).not.toContain('constructor');
  });

  test.each<[string, Json, string | undefined]>([
    ['its claims have no sub', {}, undefined],
    ['its claims have no sub', { sub: null }, undefined],
    ['its claims have no sub', { sub: { id: 1 } }, undefined],
    ['its claims are not an object', null, undefined],
    ['its claims are not an object', [{ sub: 'ada' }], undefined],
    ['its claims are not an object', 'ada', undefined],
    ['it has more than 8192 characters', { sub: 'ada', role: 'x'.repeat(8000) }, undefined],
    ['its lifetime is not one of issue', { sub: 'ada' }, 'long'],
  ])('%s: 500', async (problem, claims, lifetime) => {
    const { users } = opened({ issue: { lifetime: 900, claims: ['role'] } });
    expect(await reasonOf(users.sign(claims, lifetime))).toEqual([500, `a token is not signed: ${problem}`]);
  });

  test('has one of several lifetimes', async () => {
    const { users } = opened({ issue: { lifetime: { short: 60, long: 3600 } } });
    const { iat = 0, exp = 0 } = decodeJwt(await users.sign({ sub: 'ada' }, 'long'));
    expect(exp - iat).toBe(3600);
    for (const name of [undefined, 'other', 'constructor'])
      expect(await reasonOf(users.sign({ sub: 'ada' }, name))).toEqual([
        500,
        'a token is not signed: its lifetime is not one of issue',
      ]);
    expect(await users.problemsAtStart([], log)).toEqual([]);
  });

  test('the first key signs, and tokens of all are accepted', async () => {
    const issue = { lifetime: 900, keys: 1 };
    const before = opened({ issue }, { ISSUE_KEY: secret.repeat(2) });
    const after = opened({ issue }, { ISSUE_KEY: other.repeat(2), ISSUE_KEY_2: secret.repeat(2) });
    const old = await before.users.sign({ sub: 'ada' });
    const fresh = await after.users.sign({ sub: 'ada' });
    expect(await identityOf(after.users, old)).toMatchObject({ sub: 'ada' });
    expect(await identityOf(after.users, fresh)).toMatchObject({ sub: 'ada' });
    expect(await identityOf(before.users, fresh)).toBe('signature');
  });

  test.each(['ES256', 'RS256', 'EdDSA'])('a private key in PEM signs with %s', async (algorithm) => {
    const { privateKey } =
      algorithm === 'ES256'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : algorithm === 'RS256'
          ? generateKeyPairSync('rsa', { modulusLength: 2048 })
          : generateKeyPairSync('ed25519');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const { users, problems } = opened(
      { issue: { lifetime: 900, keys: 1 } },
      { ISSUE_KEY: pem.replaceAll('\n', '\\n') },
    );
    expect(problems).toEqual([]);
    const token = await users.sign({ sub: 'ada' });
    expect(decodeProtectedHeader(token).alg).toBe(algorithm);
    expect(await identityOf(users, token)).toMatchObject({ sub: 'ada' });
    const publicPem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
    expect(opened({ issue: { lifetime: 900, keys: 1 } }, { ISSUE_KEY: publicPem }).problems).toEqual([
      'AUTHENTICATION_USERS_ISSUE_KEY is a public key, which cannot sign tokens: it is the field issue.key of the authentication users',
    ]);
    expect(opened({ issue: { lifetime: 900 } }, { KEY: publicPem }).problems).toEqual([
      'The key of the authentication users is a public key, which cannot sign tokens: it needs a secret, or issue.key',
    ]);
  });

  test('is not signed with an algorithm that is not accepted', async () => {
    const { users } = opened({ algorithms: ['HS512'], issue: { lifetime: 900 } });
    expect(decodeProtectedHeader(await users.sign({ sub: 'ada' })).alg).toBe('HS512');
    const { problems } = opened(
      { algorithms: ['ES256'], issue: { lifetime: 900, keys: 1 } },
      { ISSUE_KEY: other },
    );
    expect(problems[0]).toContain('and its algorithms are ES256');
  });
});

describe('checks that are switched off', () => {
  test('a variable cannot switch a check off', () => {
    for (const field of ['ISSUER', 'AUDIENCE'])
      for (const value of ['none', ' None '])
        expect(opened({}, { [field]: value }).problems).toEqual([
          `AUTHENTICATION_USERS_${field} is none, and only the configuration can switch this check off: it is the field ${field.toLowerCase()} of the authentication users`,
        ]);
  });

  test('the others are still made', async () => {
    const issuing = opened({ issue: { lifetime: 900 } }).users;
    const token = await issuing.sign({ sub: 'ada' });
    expect(await identityOf(opened({ issuer: 'none' }).users, token)).toMatchObject({ sub: 'ada' });
    expect(await identityOf(opened({ issuer: 'none' }, { AUDIENCE: 'others' }).users, token)).toBe(
      'audience',
    );
    expect(await identityOf(opened({ audience: 'none' }, { ISSUER: 'others' }).users, token)).toBe('issuer');
    expect(await identityOf(opened({ issuer: 'none', audience: 'none' }, { KEY: other }).users, token)).toBe(
      'signature',
    );
  });
});

describe('the operation of a token', () => {
  const withOperation = (operation: Handler): Jwt => opened({ operation, issue: { lifetime: 900 } }).users;

  test('has the claims as its caller, and its response is the caller', async () => {
    const users = withOperation((call) =>
      reply(200, { sub: 'from rows', saw: call.caller?.['sub'] ?? null, key: call.param('key') }),
    );
    const token = await users.sign({ sub: 'ada' });
    expect(await identityOf(users, token)).toEqual({ sub: 'from rows', saw: 'ada', key: null });
  });

  test('is not called for a wrong token', async () => {
    let calls = 0;
    const users = withOperation(() => {
      calls += 1;
      return reply(200, { sub: 'x' });
    });
    expect(await identityOf(users, 'a.b.c')).toBe('malformed');
    expect(
      await identityOf(
        users,
        await opened({ issue: { lifetime: 900 } }, { KEY: other }).users.sign({ sub: 'ada' }),
      ),
    ).toBe('signature');
    expect(calls).toBe(0);
  });

  test('refuses with 401, 403 and 404, and a 403 with a code stays', async () => {
    for (const status of [401, 403, 404]) {
      const users = withOperation(() => {
        throw fail(status, 'No', { header: () => ['Set-Cookie', 'old='] });
      });
      const identity = await identityOf(users, await users.sign({ sub: 'ada' }));
      expect(identity).toBeInstanceOf(RefusedCredentials);
      expect(identity).toMatchObject({ refusal: 'unknown-caller' });
      expect((identity as RefusedCredentials).header?.({} as never)).toEqual(['Set-Cookie', 'old=']);
    }
    const locked = fail(403, 'Locked', { code: 'locked' });
    const users = withOperation(() => {
      throw locked;
    });
    await expect(identityOf(users, await users.sign({ sub: 'ada' }))).rejects.toBe(locked);
  });
});

describe('two authentications with one key', () => {
  const first = opened({}).users;
  const problems = (options: JwtOptions, own: Readonly<Record<string, string>> = {}) =>
    first.problemsAtStart([opened(options, own, 'others').users], log);
  const common = [
    "The authentications users and others have a key in common and accept each other's tokens: give them different keys or audiences",
  ];
  const operation: Handler = () => reply(200, { sub: 'x' });

  test.each<[string, JwtOptions, Readonly<Record<string, string>>, readonly string[]]>([
    ['the same, in another place', { cookie: 'session' }, {}, []],
    ['another audience', { operation }, { AUDIENCE: 'others' }, []],
    ['another issuer', { operation }, { ISSUER: 'others' }, []],
    ['another key', { operation }, { KEY: other }, []],
    ['an operation for one of them', { operation }, {}, common],
    ['no audience for one of them', { audience: 'none' }, {}, common],
    ['no issuer for one of them', { issuer: 'none' }, {}, common],
    ['a second key in common', { issuer: 'none' }, { KEY: other, KEY_2: secret }, common],
    ['a signing key in common', { issuer: 'none', operation }, { KEY: other, KEY_2: secret }, common],
  ])('%s', async (_, options, own, expected) => {
    expect(await problems(options, own)).toEqual(expected);
  });

  test('published keys at the same address are keys in common', async () => {
    const open = (name: string, options: JwtOptions): Jwt => {
      const authentication = jwt(name, options);
      const variables = { ISSUER: 'https://id.example', AUDIENCE: 'a', JWKS: 'https://id.example/keys' };
      const prefix = `AUTHENTICATION_${name.toUpperCase()}`;
      authentication.readSettings(
        new Environment(
          Object.fromEntries(
            Object.entries(variables).map(([field, value]) => [`${prefix}_${field}`, value]),
          ),
          '',
        ),
      );
      return authentication;
    };
    const one = open('one', {});
    expect(await one.problemsAtStart([open('two', {})], log)).toEqual([]);
    expect(await one.problemsAtStart([open('two', { operation })], log)).toHaveLength(1);
  });
});
