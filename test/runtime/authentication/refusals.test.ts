/** Why credentials are refused: the reason of each type in the log and the metrics, and never in the response. */
import { createHmac, scryptSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { apiKey } from '../../../runtime/apikey/api-key.js';
import { accept, optional, withScopes } from '../../../runtime/authentication/accept.js';
import type { Authentication } from '../../../runtime/authentication/authentication.js';
import { refusals } from '../../../runtime/authentication/refusal.js';
import { basicAuth } from '../../../runtime/basicauth/basic-auth.js';
import { ownAccess } from '../../../runtime/code/own-access.js';
import { ownRoutes } from '../../../runtime/code/own-routes.js';
import { custom } from '../../../runtime/custom/custom.js';
import { jwt, jwtOfKey } from '../../../runtime/jwt/index.js';
import { expose } from '../../../runtime/management/metrics.js';
import { ServiceMetrics } from '../../../runtime/management/service-metrics.js';
import { hashedAccount } from '../../../runtime/password-hash/hashed-account.js';
import { fail } from '../../../runtime/handler/reply.js';
import type { Handler } from '../../../runtime/http/route.js';
import { reply } from '../../../runtime/responses/reply.js';
import { readSettings } from '../../../runtime/server/settings.js';
import { signature } from '../../../runtime/signature/signature.js';
import { audience, claims, issuerName, KeyServer, sign, signingKey, type SigningKey } from '../jwt/issuer.js';
import { RawConnection } from '../raw-http.js';
import { serve, type Served } from '../serve.js';

/** In every value of the tests that a stranger chooses: nothing of it may be in the log or the metrics. */
const canary = 'canary-of-a-stranger';
const secret = 'a-secret-of-at-least-32-bytes-for-tests';
const key = 'k'.repeat(40);

/** Finds nobody, and a locked account. */
const findSession: Handler = ({ caller }) => {
  if (caller?.['sub'] === 'locked') throw fail(403, 'Locked', { code: 'locked' });
  throw fail(401, 'No session');
};

const keyServer = new KeyServer();
const emptyServer = new KeyServer();
const log: Record<string, unknown>[] = [];
const metrics = new ServiceMetrics([]);
let served: Served;
let issuer: SigningKey;
let stranger: SigningKey;

beforeAll(async () => {
  [issuer, stranger] = await Promise.all([signingKey('RS256', 'one'), signingKey('RS256', 'one')]);
  const salt = Buffer.from('0123456789abcdef');
  const hash = scryptSync('right', salt, 32, { N: 4096, r: 8, p: 1 }).toString('base64').replace(/=+$/, '');
  const jwks = await keyServer.start();
  keyServer.publish(issuer.jwk);
  const all = {
    users: jwtOfKey('users'),
    session: jwtOfKey('session', { cookie: 'session' }),
    published: jwt('published'),
    unreachable: jwt('unreachable'),
    staff: jwtOfKey('staff'),
    admin: basicAuth('admin'),
    hashed: hashedAccount('hashed'),
    partners: apiKey('partners', { header: 'X-Api-Key', keys: ['acme'] }),
    inQuery: apiKey('inQuery', { query: 'key', keys: ['acme'] }),
    looked: apiKey('looked', { header: 'X-Looked', operation: () => Promise.resolve(reply(404)) }),
    sessions: jwtOfKey('sessions', { operation: findSession }),
    github: signature('github', { scheme: 'github' }),
    stripe: signature('stripe', { scheme: 'stripe' }),
    own: custom('own'),
  };
  const variables: Record<string, string> = {
    AUTHENTICATION_USERS_KEY: secret,
    AUTHENTICATION_SESSION_KEY: secret,
    AUTHENTICATION_SESSIONS_KEY: secret,
    AUTHENTICATION_STAFF_KEY: secret.replaceAll('a', 'b'),
    AUTHENTICATION_PUBLISHED_JWKS: jwks,
    AUTHENTICATION_UNREACHABLE_JWKS: await emptyServer.start(),
    AUTHENTICATION_ADMIN_USER: 'admin',
    AUTHENTICATION_ADMIN_PASSWORD: 'right',
    AUTHENTICATION_HASHED_USER: 'ada',
    AUTHENTICATION_HASHED_PASSWORD_HASH: `$scrypt$ln=12,r=8,p=1$${salt.toString('base64').replace(/=+$/, '')}$${hash}`,
    AUTHENTICATION_PARTNERS_KEY_ACME: key,
    AUTHENTICATION_IN_QUERY_KEY_ACME: key,
    AUTHENTICATION_GITHUB_SECRET: secret,
    AUTHENTICATION_STRIPE_SECRET: secret,
  };
  for (const name of ['USERS', 'SESSION', 'SESSIONS', 'STAFF', 'PUBLISHED', 'UNREACHABLE']) {
    variables[`AUTHENTICATION_${name}_ISSUER`] = issuerName;
    variables[`AUTHENTICATION_${name}_AUDIENCE`] = audience;
  }
  readSettings({ variables, authentications: Object.values(all) });
  const handler = (): ReturnType<typeof reply> => reply(200);
  const accepted: Record<string, readonly Authentication[]> = {
    ...Object.fromEntries(Object.entries(all).map(([name, one]) => [name, [one]])),
    accounts: [all.admin, all.hashed],
    issuers: [all.staff, all.users],
    several: [all.partners, all.users],
  };
  const contextOf = ownRoutes({ access: ownAccess({ users: all.users }), operations: {} });
  served = await serve(
    [
      ...Object.entries(accepted).map(([name, authentications]) => ({
        method: 'POST',
        path: `/${name}`,
        handler,
        access: accept(...authentications),
      })),
      { method: 'POST', path: '/scoped', handler, access: accept(withScopes(all.users, 'orders:write')) },
      { method: 'POST', path: '/optional', handler, access: accept(optional(all.partners)) },
    ],
    {
      observer: metrics,
      logRequests: 'errors',
      log: pino(
        { base: null, level: 'debug' },
        { write: (line: string) => void log.push(JSON.parse(line) as Record<string, unknown>) },
      ),
      fallback: async (request, response, next) => {
        try {
          await contextOf(request, { authentications: ['users'] });
          response.end();
        } catch (error) {
          if (request.url === '/own-page') response.writeHead(302, { location: '/log-in' }).end();
          else next(error);
        }
      },
    },
  );
});
afterAll(() => Promise.all([served.stop(), keyServer.stop(), emptyServer.stop()]));
beforeEach(() => {
  log.length = 0;
});

type Headers = readonly (readonly [string, string])[];

/** The whole response as it arrives, without the time. */
async function responseTo(path: string, headers: Headers, body = '{}'): Promise<string> {
  const lines = [...headers, ['Content-Length', String(body.length)], ['X-Request-Id', 'one']];
  const written = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const connection = new RawConnection(served.port).write(
    `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${written}\r\n${body}`,
  );
  await connection.closed;
  return connection.text.replace(/^Date: .*\r\n/m, '');
}

const statusOf = (response: string): number => Number(response.split(' ')[1]);
const entryOf = (): Record<string, unknown> | undefined => log.find(({ msg }) => msg === 'request');

function counts(): Record<string, number> {
  const lines = expose(metrics.collect()).matchAll(
    /^credentials_refused_total\{operation="([^"]*)",reason="([^"]*)"\} (\d+)$/gm,
  );
  return Object.fromEntries(
    [...lines].map(([, operation, reason, count]) => [`${operation} ${reason}`, Number(count)]),
  );
}

const seconds = (from: number): number => Math.floor(Date.now() / 1000) + from;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const hmac = (text: string, own = secret): Buffer => createHmac('sha256', own).update(text).digest();

/** A token that the authentication `users` accepts, except for what is given. */
function token(payload: unknown = claims(), header: object = {}, own = secret): string {
  const text = `${encoded({ alg: 'HS256', ...header })}.${encoded(payload)}`;
  return `${text}.${hmac(text, own).toString('base64url')}`;
}

const bearer = (written: string): Headers => [['Authorization', `Bearer ${written}`]];
const basic = (written: string): Headers => [['Authorization', `Basic ${written}`]];
const stripe = (time: number, own = secret): Headers => [
  ['Stripe-Signature', `t=${time},v1=${hmac(`${time}.{}`, own).toString('hex')}`],
];
const stripeOf = (written: string): Headers => [['Stripe-Signature', written]];

/** A path, the reason, and the headers. */
type Try = readonly [path: string, reason: string, () => Headers | Promise<Headers>];

const tries: readonly Try[] = [
  ['/users', 'missing', () => []],
  ['/sessions', 'unknown-caller', () => bearer(token(claims({ sub: canary })))],
  ['/sessions', 'denied', () => bearer(token(claims({ sub: 'locked' })))],
  ['/users', 'not-accepted', () => basic(base64(`${canary}:x`))],
  ['/users', 'not-accepted', () => [['Authorization', canary]]],
  ['/users', 'malformed', () => bearer(canary)],
  ['/users', 'malformed', () => bearer('')],
  ['/users', 'malformed', () => bearer(`${token()}.a.b`)],
  ['/users', 'malformed', () => [...bearer(token()), ...bearer(token())]],
  ['/users', 'too-long', () => bearer(token(claims({ long: canary.repeat(500) })))],
  ['/users', 'token-header', () => bearer(token(claims(), { jku: `https://${canary}.example` }))],
  ['/users', 'token-header', () => bearer(token(claims(), { crit: [canary], [canary]: 1 }))],
  ['/users', 'algorithm', () => bearer(`${encoded({ alg: 'none' })}.${encoded(claims())}.`)],
  ['/users', 'algorithm', async () => bearer(await sign(issuer))],
  ['/users', 'algorithm', () => bearer(token(claims(), { alg: canary }))],
  ['/users', 'signature', () => bearer(token(claims(), {}, `${canary}-that-is-long-enough`))],
  ['/users', 'signature', () => bearer(`${token()}AAAA`)],
  ['/users', 'issuer', () => bearer(token(claims({ iss: `https://${canary}.example` })))],
  ['/users', 'issuer', () => bearer(token(claims({ iss: undefined })))],
  ['/users', 'audience', () => bearer(token(claims({ aud: canary })))],
  ['/users', 'audience', () => bearer(token(claims({ aud: undefined })))],
  ['/users', 'claims', () => bearer(token(claims({ exp: undefined })))],
  ['/users', 'claims', () => bearer(token(claims({ exp: canary })))],
  ['/users', 'claims', () => bearer(token(claims({ nbf: canary })))],
  ['/users', 'claims', () => bearer(token(claims({ sub: { id: canary } })))],
  ['/users', 'claims', () => bearer(token([claims()]))],
  ['/users', 'not-yet-valid', () => bearer(token(claims({ nbf: seconds(600) })))],
  ['/users', 'expired', () => bearer(token(claims({ exp: seconds(-60) })))],
  ['/scoped', 'scope', () => bearer(token(claims({ scope: canary })))],
  [
    '/session',
    'malformed',
    () => [
      ['Cookie', `session=${canary}`],
      ['Sec-Fetch-Site', 'same-origin'],
    ],
  ],
  [
    '/session',
    'repeated',
    () => [
      ['Cookie', `session=${token()}; session=${token()}`],
      ['Sec-Fetch-Site', 'same-origin'],
    ],
  ],
  [
    '/session',
    'origin',
    () => [
      ['Cookie', `session=${token()}`],
      ['Origin', `https://${canary}.example`],
    ],
  ],
  ['/published', 'signature', async () => bearer(await sign(stranger))],
  ['/published', 'unknown-key', async () => bearer(await sign({ ...stranger, kid: canary }))],
  ['/published', 'expired', async () => bearer(await sign(issuer, claims({ exp: seconds(-60) })))],
  ['/published', 'signature', async () => bearer(await sign(stranger, claims(), { kid: undefined }))],
  ['/unreachable', 'keys-unavailable', async () => bearer(await sign(issuer))],
  ['/admin', 'missing', () => []],
  ['/admin', 'not-accepted', () => bearer(canary)],
  ['/admin', 'malformed', () => basic(canary)],
  ['/admin', 'malformed', () => basic(base64('admin'))],
  ['/admin', 'unknown-account', () => basic(base64(`${canary}:right`))],
  ['/admin', 'wrong-password', () => basic(base64(`admin:${canary}`))],
  ['/admin', 'origin', () => [...basic(base64('admin:right')), ['Origin', `https://${canary}.example`]]],
  ['/hashed', 'malformed', () => basic(canary)],
  ['/hashed', 'unknown-account', () => basic(base64(`${canary}:right`))],
  ['/hashed', 'wrong-password', () => basic(base64(`ada:${canary}`))],
  ['/partners', 'missing', () => []],
  ['/partners', 'unknown-api-key', () => [['X-Api-Key', canary]]],
  [
    '/partners',
    'repeated',
    () => [
      ['X-Api-Key', key],
      ['X-Api-Key', key],
    ],
  ],
  [`/inQuery?key=${canary}`, 'unknown-api-key', () => []],
  [`/inQuery?key=${key}&key=${canary}`, 'repeated', () => []],
  ['/looked', 'unknown-api-key', () => [['X-Looked', canary]]],
  ['/github', 'missing', () => []],
  ['/github', 'malformed', () => [['X-Hub-Signature-256', canary]]],
  ['/github', 'signature', () => [['X-Hub-Signature-256', `sha256=${hmac('{}', canary).toString('hex')}`]]],
  ['/stripe', 'missing', () => []],
  ['/stripe', 'malformed', () => stripeOf(`t=${canary},v1=${'a'.repeat(64)}`)],
  ['/stripe', 'malformed', () => stripeOf(`t=${seconds(0)},v1=${canary}`)],
  ['/stripe', 'signature', () => stripe(seconds(0), canary)],
  ['/stripe', 'too-old', () => stripe(seconds(-400))],
  ['/stripe', 'not-yet-valid', () => stripe(seconds(400))],
  ['/own', 'missing', () => []],
  ['/own', 'not-accepted', () => bearer(canary)],
  // The first credentials of the list decide alone.
  ['/several', 'unknown-api-key', () => [['X-Api-Key', canary], ...bearer(token())]],
  ['/several', 'expired', () => bearer(token(claims({ exp: seconds(-60) })))],
  ['/several', 'missing', () => []],
  ['/optional', 'not-accepted', () => bearer(canary)],
  // Authentications that read the same place: the check that got furthest.
  ['/issuers', 'expired', () => bearer(token(claims({ exp: seconds(-60) })))],
  ['/issuers', 'audience', () => bearer(token(claims({ aud: canary }), {}, secret.replaceAll('a', 'b')))],
  ['/issuers', 'signature', () => bearer(token(claims(), {}, `${canary}-that-is-long-enough`))],
  ['/accounts', 'wrong-password', () => basic(base64(`admin:${canary}`))],
  ['/accounts', 'wrong-password', () => basic(base64(`ada:${canary}`))],
  ['/accounts', 'unknown-account', () => basic(base64(`${canary}:right`))],
  // Routes of user code.
  ['/anything', 'missing', () => []],
  ['/anything', 'expired', () => bearer(token(claims({ exp: seconds(-60) })))],
];

describe('the reason', () => {
  test.each(tries)('%s %s', async (path, reason, headers) => {
    const [name = ''] = path.split('?');
    const operation = name === '/anything' ? 'none' : `POST ${name}`;
    const before = counts()[`${operation} ${reason}`] ?? 0;
    const response = await responseTo(path, await headers());
    const status = { scope: 403, denied: 403, origin: 403, 'keys-unavailable': 503 }[reason] ?? 401;
    expect(statusOf(response)).toBe(status);
    await expect.poll(() => entryOf()).toMatchObject({ status, reason });
    expect(counts()[`${operation} ${reason}`]).toBe(before + 1);
    const written = `${JSON.stringify(log)}${expose(metrics.collect())}`;
    expect(written).not.toContain(canary);
    // `missing` and so on are no words of a response; `signature`, `scope` and `origin` are in challenges and messages.
    if (!['signature', 'scope', 'origin'].includes(reason)) expect(response).not.toContain(reason);
  });

  test('is in no response: what is refused with 401 has the same bytes, whatever the reason', async () => {
    const byPath = new Map<string, Map<string, string>>();
    for (const [path, reason, headers] of tries) {
      if (['missing', 'not-accepted', 'denied', 'scope', 'origin', 'keys-unavailable'].includes(reason))
        continue;
      const [name = ''] = path.split('?');
      // The challenge of a type shows an error if its credentials were sent.
      if (name === '/several') continue;
      const responses = byPath.get(name) ?? new Map<string, string>();
      byPath.set(name, responses.set(reason, await responseTo(path, await headers())));
    }
    for (const [path, responses] of byPath)
      expect([path, new Set(responses.values()).size]).toEqual([path, 1]);
    expect(byPath.get('/users')?.size).toBeGreaterThan(8);
    expect(byPath.get('/stripe')?.size).toBe(4);
    expect(byPath.get('/admin')?.size).toBe(3);
    // RFC 6750 has no error for requests without a token.
    expect(await responseTo('/users', [])).toBe(await responseTo('/users', basic(base64('a:b'))));
    expect(await responseTo('/admin', [])).toBe(await responseTo('/admin', basic(base64('a:b'))));
  });

  test('is not in the entry of a request that is admitted, or that user code handles', async () => {
    expect(statusOf(await responseTo('/users', bearer(token())))).toBe(200);
    await expect.poll(() => entryOf()).toMatchObject({ status: 200 });
    expect(entryOf()).not.toHaveProperty('reason');
    log.length = 0;
    const before = counts();
    expect(statusOf(await responseTo('/own-page', []))).toBe(302);
    await expect.poll(() => entryOf()).toMatchObject({ status: 302 });
    expect(entryOf()).not.toHaveProperty('reason');
    expect(counts()).toEqual(before);
  });
});

test('a password that is not checked, because too many are', async () => {
  const all = Array.from({ length: 12 }, (_, index) =>
    responseTo('/hashed', basic(base64(`ada:${canary}${index}`))),
  );
  const busy = (await Promise.all(all)).filter((response) => statusOf(response) === 503);
  expect(busy.length).toBeGreaterThan(0);
  await expect.poll(() => counts()['POST /hashed busy']).toBe(busy.length);
  expect(log.filter(({ msg, reason }) => msg === 'request failed' && reason === 'busy')).toHaveLength(
    busy.length,
  );
  expect(busy.join()).not.toContain('busy');
});

test('the reference lists all reasons, in the order in which they decide; each has a case', () => {
  const page = readFileSync(new URL('../../../docs/reference/credentials.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z-]+)` +\| (?:401|403|503) /gm)].map(([, reason]) => reason);
  expect(listed).toEqual([...refusals]);
  const tried = new Set([...tries.map(([, reason]) => reason), 'busy']);
  expect([...refusals].filter((reason) => !tried.has(reason))).toEqual([]);
});

test('refusals of a minute are one entry, with their numbers by reason', async () => {
  const lines: Record<string, unknown>[] = [];
  const users = jwtOfKey('users');
  const variables = {
    AUTHENTICATION_USERS_KEY: secret,
    AUTHENTICATION_USERS_ISSUER: issuerName,
    AUTHENTICATION_USERS_AUDIENCE: audience,
  };
  readSettings({ variables, authentications: [users] });
  const own = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line) as never) });
  const access = accept(users);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    for (const written of [
      canary,
      token(claims({ exp: seconds(-60) })),
      token(claims({ exp: seconds(-60) })),
      token(claims({ aud: canary })),
    ])
      await access.admit({
        request: {
          headers: { authorization: `Bearer ${written}` },
          socket: { remoteAddress: '10.0.0.1' },
        } as never,
        ...{ query: '', log: own, deadline: Infinity, limits: { bodyLimit: 0 } },
        ...{ accept: () => undefined, decided: () => undefined, counted: () => undefined },
      });
    vi.advanceTimersByTime(60_000);
  } finally {
    vi.useRealTimers();
  }
  const entry = { msg: 'credentials were refused', addresses: ['10.0.0.1'] };
  expect(lines).toMatchObject([
    { ...entry, count: 1, reasons: { malformed: 1 } },
    { ...entry, count: 3, reasons: { expired: 2, audience: 1 } },
  ]);
  expect(JSON.stringify(lines)).not.toContain(canary);
});
