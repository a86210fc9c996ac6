/**
 * The saas example under attack: all kinds of malformed credentials, caller claims in other places of the request, and tenants under load
 * with cut connections, leaving clients, conflicts and a pooler. SAAS_REQUESTS=100000 sends that many requests.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Agent, request as send, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { exportSPKI, type CryptoKey } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compiledFixtures } from '../helpers/compiled-fixtures.js';
import type { AttachedServer, DatabaseServer } from '../helpers/database-server.js';
import { startPgBouncer, type PgBouncer } from '../helpers/pgbouncer.js';
import { startPostgres } from '../helpers/postgres-server.js';
import { RunningService } from '../helpers/running-service.js';
import { translateServices } from '../helpers/service-build.js';
import { serviceFixtures } from '../helpers/service-fixture.js';
import { KeyServer, sign, signingKey, type SigningKey } from '../runtime/jwt/issuer.js';
import { RawConnection, send as sendRaw } from '../runtime/raw-http.js';

const requests = Number(process.env['SAAS_REQUESTS'] ?? 4000);
const database = 'saas_attacked';
const secret = Buffer.from('secret-of-the-payment-provider');
const kilnKey = 'kiln-reads-0123456789-0123456789-01';
const glazeKey = 'glaze-writes-0123456789-0123456789';
const now = Math.floor(Date.now() / 1000);

let server: DatabaseServer;
let pooler: PgBouncer;
let keys: SigningKey;
let stranger: SigningKey;
const keyServer = new KeyServer();
let folder: string;
let service: RunningService;
let keysAddress: string;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

beforeAll(async () => {
  const fixture = serviceFixtures().find(({ name }) => name === 'saas');
  if (fixture === undefined) throw new Error('The example saas is missing.');
  server = await startPostgres();
  await server.createDatabase(database);
  await server.exec(database, fixture.schema);
  await server.exec(database, fixture.seed);
  pooler = await startPgBouncer(server, {
    mode: 'transaction',
    ignored: 'extra_float_digits,options',
    size: 8,
  });
  [keys, stranger] = [await signingKey('ES256', 'one'), await signingKey('ES256', 'one')];
  keysAddress = await keyServer.start();
  keyServer.publish(keys.jwk);
  const [{ files = [] } = {}] = (await compiledFixtures(() => [fixture])).fixtures;
  folder = translateServices('saas-attacked', [{ name: 'saas', files }]).get('saas') ?? '';
  service = await started(server, { AUTHENTICATION_USERS_JWKS: keysAddress });
});

afterAll(async () => {
  agent.destroy();
  await service.stop();
  await keyServer.stop();
  await pooler.stop();
  await server.stop();
});

function started(target: AttachedServer, own: Record<string, string>): Promise<RunningService> {
  const settings = ['TENANTS', 'KEYS', 'PAYMENTS'].map((name) => ({
    [`DATASOURCE_${name}_URL`]: target.jdbcUrl(database),
    [`DATASOURCE_${name}_USER`]: target.user,
    [`DATASOURCE_${name}_PASSWORD`]: target.password,
  }));
  const PAYMENTS_SECRET = `whsec_${secret.toString('base64')}`;
  return RunningService.start(
    folder,
    Object.assign({ PAYMENTS_SECRET, LOG_LEVEL: 'error', ...own }, ...settings) as Record<string, string>,
  );
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** Milliseconds after which the client disconnects. */
  readonly leaves?: number;
}

interface Received {
  /** 0 if there is no response. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function ask(path: string, { method = 'GET', headers = {}, body, leaves }: Sent = {}): Promise<Received> {
  const { hostname, port } = new URL(service.url);
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const nothing = (): void => {
      resolve({ status: 0, headers: {}, text: '' });
    };
    const outgoing = send(
      { hostname, port, path, method, agent, headers: { ...type, ...headers } as Record<string, string> },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', nothing);
        response.on('close', nothing);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      },
    );
    outgoing.on('error', nothing);
    outgoing.end(body);
    if (leaves !== undefined) setTimeout(() => outgoing.destroy(), leaves);
  });
}

const rights = 'invoices:write keys:write';

/** Valid claims for the tenant; undefined claims are omitted. */
function claimsOf(tenant: unknown, own: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const all = {
    ...{ iss: 'https://id.example.com', aud: 'invoicing', sub: 'ada', scope: rights },
    ...{ tenant, exp: now + 3600, ...own },
  };
  return JSON.parse(JSON.stringify(all)) as Record<string, unknown>;
}

function tokenOf(tenant: unknown, own: Readonly<Record<string, unknown>> = {}): Promise<string> {
  return sign(keys, claimsOf(tenant, own));
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token with hand-written parts. */
function written(header: unknown, payload: unknown, signature: (text: string) => Buffer): string {
  const text = `${base64(header)}.${base64(payload)}`;
  return `${text}.${signature(text).toString('base64url')}`;
}

function hs256(key: string | Buffer): (text: string) => Buffer {
  return (text) => createHmac('sha256', key).update(text).digest();
}

describe('a token that is wrong is 401', () => {
  const tries: readonly (readonly [string, () => Promise<string> | string])[] = [
    ['nothing', () => ''],
    ['a word', () => 'token'],
    ['three words', () => 'a.b.c'],
    ['the key of somebody else', () => sign(stranger, claimsOf('kiln'))],
    ...['none', 'None', 'NONE', 'nOnE', '', null].map(
      (alg) =>
        [
          `alg ${String(alg)}`,
          () => written({ alg, kid: 'one' }, claimsOf('kiln'), () => Buffer.alloc(0)),
        ] as const,
    ),
    [
      'HS256 with the public key in PEM',
      async () => written({ alg: 'HS256', kid: 'one' }, claimsOf('kiln'), hs256(await publicPem())),
    ],
    [
      'HS256 with the published key',
      () => written({ alg: 'HS256', kid: 'one' }, claimsOf('kiln'), hs256(JSON.stringify(keys.jwk))),
    ],
    ['HS256 with nothing', () => written({ alg: 'HS256', kid: 'one' }, claimsOf('kiln'), hs256(''))],
    [
      'ES256 with zeros',
      () => written({ alg: 'ES256', kid: 'one' }, claimsOf('kiln'), () => Buffer.alloc(64)),
    ],
    [
      'RS256 with an EC key',
      () => written({ alg: 'RS256', kid: 'one' }, claimsOf('kiln'), () => Buffer.alloc(256, 1)),
    ],
    ['ended', () => tokenOf('kiln', { exp: now - 60 })],
    ['without an end', () => tokenOf('kiln', { exp: undefined })],
    ['an end that is a string', () => tokenOf('kiln', { exp: String(now + 60) })],
    ['not yet valid', () => tokenOf('kiln', { nbf: now + 120 })],
    ['for somebody else', () => tokenOf('kiln', { aud: 'shop' })],
    ['for nobody', () => tokenOf('kiln', { aud: undefined })],
    ['for others', () => tokenOf('kiln', { aud: ['shop', 'Invoicing'] })],
    ['of another issuer', () => tokenOf('kiln', { iss: 'https://id.example.com.evil.example' })],
    ['of several issuers', () => tokenOf('kiln', { iss: ['https://id.example.com'] })],
    ...['../../../../dev/null', "' OR '1'='1", '__proto__', 'constructor', 'ONE', ''].map(
      (kid) => [`kid ${kid}`, () => sign({ ...keys, kid }, claimsOf('kiln'))] as const,
    ),
    ['kid that is an object', () => sign(keys, claimsOf('kiln'), { kid: { length: 3 } })],
    ...(['jwk', 'jku', 'x5u', 'x5c'] as const).map(
      (name) =>
        [
          `with ${name}`,
          () =>
            sign(stranger, claimsOf('kiln'), {
              [name]: name === 'jwk' ? stranger.jwk : 'https://evil.example',
            }),
        ] as const,
    ),
    ['with jwk, by the right key', () => sign(keys, claimsOf('kiln'), { jwk: keys.jwk })],
    [
      'with other claims',
      async () => (await tokenOf('glaze')).replace(/\.[^.]+\./, `.${base64(claimsOf('kiln'))}.`),
    ],
    ['cut', async () => (await tokenOf('kiln')).slice(0, -4)],
    ['with a fourth part', async () => `${await tokenOf('kiln')}.${base64({})}`],
    ['twice', async () => `${await tokenOf('kiln')} ${await tokenOf('kiln')}`],
    ['longer than 8 KiB', () => tokenOf('kiln', { more: 'x'.repeat(9000) })],
    ['the secret of the webhooks', () => secret.toString()],
    ['an API key', () => kilnKey],
  ];

  test.each(tries)('%s', async (_, token) => {
    expect((await ask('/me', { headers: bearer(await token()) })).status).toBe(401);
  });

  async function publicPem(): Promise<string> {
    const { importJWK } = await import('jose');
    return exportSPKI((await importJWK(keys.jwk, 'ES256')) as CryptoKey);
  }

  test('in another place, or of another kind', async () => {
    const token = await tokenOf('kiln');
    const places: Sent['headers'][] = [
      { cookie: `authorization=Bearer ${token}; token=${token}` },
      { 'x-authorization': `Bearer ${token}` },
      { 'proxy-authorization': `Bearer ${token}` },
      { authorization: `Token ${token}` },
      { authorization: `Basic ${Buffer.from(`ada:${token}`).toString('base64')}` },
      { 'x-api-key': token },
    ];
    for (const headers of places) expect((await ask('/me', { headers: headers ?? {} })).status).toBe(401);
    expect((await ask(`/me?access_token=${token}&authorization=Bearer%20${token}`)).status).toBe(401);
    const two = `GET /me HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nAuthorization: Bearer ${await tokenOf('glaze')}\r\n\r\n`;
    const [first] = await sendRaw(Number(new URL(service.url).port), two);
    expect(first?.status).toBe(401);
  });

  test('and keys that are replaced end; unknown ones ask the key server once', async () => {
    const before = keyServer.requests;
    const tries = Array.from({ length: 50 }, (_, index) =>
      sign({ ...stranger, kid: `k${index}` }, claimsOf('kiln')),
    );
    const statuses = await Promise.all(
      tries.map(async (token) => (await ask('/me', { headers: bearer(await token) })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(keyServer.requests - before).toBeLessThanOrEqual(1);
  });
});

test('who has no tenant has no rows, and a tenant of another type none that there are', async () => {
  const statusOf = async (tenant: unknown, own = {}): Promise<readonly [number, string]> => {
    const { status, text } = await ask('/invoices', { headers: bearer(await tokenOf(tenant, own)) });
    return [status, status === 200 ? text : ''];
  };
  expect(await statusOf(undefined)).toEqual([403, '']);
  expect(await statusOf(null)).toEqual([403, '']);
  expect(await statusOf('kiln\0')).toEqual([403, '']);
  const strange = [
    '',
    ' kiln',
    'KILN',
    'kiln ',
    1,
    true,
    ['kiln'],
    { a: 'kiln' },
    "kiln' OR true --",
    'x'.repeat(3000),
  ];
  for (const tenant of strange) expect(await statusOf(tenant)).toEqual([200, '[]']);
  const inherited = JSON.parse(
    '{"__proto__": {"tenant": "kiln"}, "constructor": {"tenant": "kiln"}}',
  ) as object;
  expect(await statusOf(undefined, inherited)).toEqual([403, '']);
});

describe('an API key', () => {
  const tries: readonly (readonly [what: string, headers: NonNullable<Sent['headers']>, query: string])[] = [
    ['that nobody has', { 'x-api-key': 'kiln-reads-0123456789-0123456789-02' }, ''],
    ['that is empty', { 'x-api-key': '' }, ''],
    ['as its digest', { 'x-api-key': createHash('sha256').update(kilnKey).digest('hex') }, ''],
    [
      'as a configured digest',
      { 'x-api-key': `sha256:${createHash('sha256').update(kilnKey).digest('hex')}` },
      '',
    ],
    ['in capitals', { 'x-api-key': kilnKey.toUpperCase() }, ''],
    ['with more', { 'x-api-key': `${kilnKey}x` }, ''],
    ['that is SQL', { 'x-api-key': "' OR '1'='1" }, ''],
    ['twice', { 'x-api-key': [kilnKey, kilnKey] }, ''],
    ['in addition to another one', { 'x-api-key': [kilnKey, glazeKey] }, ''],
    ['as a token', { authorization: `Bearer ${kilnKey}` }, ''],
    ['as an account', { authorization: `Basic ${Buffer.from(`${kilnKey}:`).toString('base64')}` }, ''],
    ['in a cookie', { cookie: `x-api-key=${kilnKey}; X-Api-Key=${kilnKey}` }, ''],
    ['in the query', {}, `?x-api-key=${kilnKey}&X-Api-Key=${kilnKey}&key=${kilnKey}`],
    ['that is the secret of the webhooks', { 'x-api-key': secret.toString() }, ''],
    ['that is right, with a wrong token', { 'x-api-key': kilnKey, authorization: 'Bearer wrong' }, ''],
  ];

  test.each(tries)('%s is 401', async (_, headers, query) => {
    expect((await ask(`/me${query}`, { headers })).status).toBe(401);
  });

  test('finds its own tenant alone', async () => {
    expect((await ask('/me', { headers: { 'x-api-key': kilnKey } })).text).toContain('Kiln & Co');
    expect((await ask('/me', { headers: { 'x-api-key': glazeKey } })).text).toContain('Glaze Brothers');
  });
});

interface Message {
  readonly id?: string;
  readonly time?: number | string;
  readonly body?: string;
  readonly key?: Buffer;
  readonly write?: (digest: Buffer) => string;
  readonly own?: Readonly<Record<string, string>>;
}

function pay({
  id = 'msg_a',
  time = now,
  body = '{"invoice":3}',
  key = secret,
  write,
  own = {},
}: Message = {}): Promise<Received> {
  const digest = createHmac('sha256', key).update(`${id}.${time}.`).update('{"invoice":3}').digest();
  const signature = write?.(digest) ?? `v1,${digest.toString('base64')}`;
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(time),
    'webhook-signature': signature,
    ...own,
  };
  return ask('/payments', { method: 'POST', headers, body });
}

describe('a signature', () => {
  const tries: readonly (readonly [string, Message])[] = [
    ['of another body', { body: '{"invoice":2}' }],
    ['of the same JSON in other bytes', { body: '{"invoice": 3}' }],
    ['of another secret', { key: Buffer.from('another-secret-of-somebody') }],
    ['of an empty secret', { key: Buffer.alloc(0) }],
    ['of an old time', { time: now - 400 }],
    ['of a time to come', { time: now + 400 }],
    ['of a time that is no number', { time: `${now}.0` }],
    ['of another id', { own: { 'webhook-id': 'msg_b' } }],
    ['of another time', { own: { 'webhook-timestamp': String(now - 1) } }],
    ['whose id has the time', { id: `msg_a.${now}` }],
    ['in hexadecimal', { write: (digest) => `v1,${digest.toString('hex')}` }],
    ['in base64url', { write: (digest) => `v1,${digest.toString('base64url')}` }],
    ['with spaces in it', { write: (digest) => `v1, ${digest.toString('base64')}` }],
    ['of another version', { write: (digest) => `v2,${digest.toString('base64')}` }],
    ['that is empty', { write: () => '' }],
    ['that is the secret', { write: () => `v1,${secret.toString('base64')}` }],
    ['of another scheme', { write: () => '', own: { 'x-hub-signature-256': 'sha256=00' } }],
  ];

  test.each(tries)('%s is 401', async (_, message) => {
    expect((await pay(message)).status).toBe(401);
  });

  test('among others is right once, and its replay changes nothing', async () => {
    const write = (digest: Buffer): string => `v1,AAAA v1a,x v1,${digest.toString('base64')}`;
    expect((await pay({ write })).status).toBe(204);
    expect((await pay({ write })).status).toBe(204);
    const rows = await server.exec(database, 'SELECT state, version FROM invoice WHERE id = 3');
    expect(rows).toEqual([{ state: 'paid', version: 2 }]);
    expect(await server.exec(database, 'SELECT id FROM payment')).toEqual([{ id: 'msg_a' }]);
  });

  test('is of its sender, whatever the body says', async () => {
    const body = '{"invoice":3,"caller":{"id":"msg_c"},"__proto__":{"id":"msg_d"},"constructor":1}';
    const digest = createHmac('sha256', secret).update(`msg_e.${now}.${body}`).digest('base64');
    const headers = {
      'webhook-id': 'msg_e',
      'webhook-timestamp': String(now),
      'webhook-signature': `v1,${digest}`,
    };
    expect((await ask('/payments', { method: 'POST', headers, body })).status).toBe(204);
    const rows = await server.exec(database, 'SELECT id FROM payment ORDER BY id');
    expect(rows).toEqual([{ id: 'msg_a' }, { id: 'msg_e' }]);
  });

  test('opens nothing else, and nothing else opens what it opens', async () => {
    const digest = createHmac('sha256', secret).update(`msg_f.${now}.`).digest('base64');
    const headers = {
      'webhook-id': 'msg_f',
      'webhook-timestamp': String(now),
      'webhook-signature': `v1,${digest}`,
    };
    for (const path of ['/me', '/invoices', '/keys', '/invoices.csv?year=2026'])
      expect((await ask(path, { headers })).status).toBe(401);
    const others = [
      bearer(await tokenOf('kiln')),
      { 'x-api-key': glazeKey },
      { authorization: `Bearer ${secret.toString()}` },
    ];
    for (const own of others)
      expect((await ask('/payments', { method: 'POST', headers: own, body: '{"invoice":3}' })).status).toBe(
        401,
      );
  });
});

describe('the caller', () => {
  const places: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
    [
      'headers',
      '',
      {
        tenant: 'glaze',
        'x-tenant': 'glaze',
        caller: '{"tenant":"glaze"}',
        'app.tenant': 'glaze',
        role: 'invoicing_payments',
      },
    ],
    [
      'the query',
      '?tenant=glaze&caller=glaze&caller.tenant=glaze&caller[tenant]=glaze&app.tenant=glaze&role=postgres&options=-c%20app.tenant%3Dglaze',
      {},
    ],
    [
      'the prototype',
      '?__proto__=glaze&__proto__[tenant]=glaze&constructor[prototype][tenant]=glaze',
      { ['__proto__']: 'x', constructor: 'glaze' },
    ],
    ['cookies', '', { cookie: 'tenant=glaze; caller=glaze; app.tenant=glaze; __proto__=glaze' }],
    [
      'headers of proxies',
      '',
      {
        'x-forwarded-user': 'eve',
        'x-remote-user': 'eve',
        forwarded: 'for=glaze',
        'x-original-url': '/keys',
        'x-http-method-override': 'DELETE',
      },
    ],
  ];

  test.each(places)('is not set by %s', async (_, query, headers) => {
    const own = { ...headers, ...bearer(await tokenOf('kiln')) };
    const { status, text } = await ask(`/invoices${query}`, { headers: own });
    expect(status).toBe(200);
    expect((JSON.parse(text) as { number: string }[]).map(({ number }) => number[0])).toEqual([
      'K',
      'K',
      'K',
    ]);
    expect(JSON.parse((await ask(`/me${query}`, { headers: own })).text)).toMatchObject({
      tenant: 'Kiln & Co',
    });
  });

  test('is not set by a body', async () => {
    const headers = bearer(await tokenOf('kiln'));
    const invoice = '"number":"K-9","customer":"Bob","amount":1';
    for (const more of [
      '"tenant":"glaze"',
      '"caller":{"tenant":"glaze"}',
      '"__proto__":{"tenant":"glaze"}',
      '"constructor":{"tenant":"glaze"}',
    ])
      expect((await ask('/invoices', { method: 'POST', headers, body: `{${invoice},${more}}` })).status).toBe(
        400,
      );
  });

  test('has no invoice of another one by its id, in any operation', async () => {
    const headers = bearer(await tokenOf('kiln'));
    const body = '{"customer":"Eve","amount":1}';
    for (const id of [
      '3',
      '03',
      '3.0',
      '3%20',
      '%33',
      '+3',
      '3;4',
      "3' OR 1=1 --",
      '3%00',
      '-3',
      '0x3',
      '3e0',
      '99999999999',
    ]) {
      const path = `/invoices/${encodeURI(id).replaceAll('%25', '%')}`;
      const tries: Sent[] = [{}, { method: 'HEAD' }, { method: 'PUT', body }, { method: 'DELETE' }];
      for (const one of tries) {
        const response = await ask(path, { ...one, headers: { ...headers, 'if-match': '*' } });
        expect([400, 404], `${one.method ?? 'GET'} ${path}`).toContain(response.status);
      }
    }
    expect((await ask('/keys/2', { method: 'DELETE', headers })).status).toBe(404);
    expect(await server.exec(database, "SELECT customer FROM invoice WHERE tenant = 'glaze'")).toEqual([
      { customer: 'Alan' },
    ]);
  });
});

describe('paths, headers and bodies', () => {
  test('no way round the authentication', async () => {
    const port = Number(new URL(service.url).port);
    const targets = [
      '/me',
      '//me',
      '/./me',
      '/x/../me',
      '/%6de',
      '/me/',
      '/Me',
      '/me?',
      '/me%2f',
      '/me%00',
      '/me;a=b',
      'http://evil.example/me',
      '/invoices/2',
      '/invoices.csv?year=2026',
      '/keys',
    ];
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'TRACE', 'get', 'PROPFIND'])
      for (const target of targets) {
        const connection = new RawConnection(port);
        connection.write(`${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
        await connection.closed;
        const [, status] = /^HTTP\/1.1 (\d+)/.exec(connection.text) ?? [];
        expect([400, 401, 404, 405, 501], `${method} ${target}`).toContain(Number(status));
      }
  });

  test('CR, LF and NUL in headers and targets', async () => {
    const port = Number(new URL(service.url).port);
    const token = await tokenOf('kiln');
    const tries = [
      `GET /me HTTP/1.1\r\nHost: a\r\nX-A: b\rAuthorization: Bearer ${token}\r\n\r\n`,
      `GET /me HTTP/1.1\r\nHost: a\r\nX-A: b\0\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      `GET /me HTTP/1.1\r\nHost: a\r\nX-A: b\r\n Authorization: Bearer ${token}\r\n\r\n`,
      `GET /me HTTP/1.1\r\nHost: a\r\nAuthorization : Bearer ${token}\r\n\r\n`,
      `GET /me HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nAuthorization: Bearer ${token}\r\n\r\n0\r\n\r\n`,
      `GET /me\r\nX: HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    ];
    for (const text of tries) {
      const responses = await sendRaw(port, text.replace('Host: a', 'Host: a\r\nConnection: close'));
      expect(
        responses.map(({ status }) => status).filter((status) => status === 200),
        JSON.stringify(text),
      ).toEqual([]);
    }
    const headers = bearer(token);
    for (const query of ['limit=2%0d%0aX-Evil:1', 'after=1%0d%0aX-Evil:1', 'limit=2&limit=3', 'limit=2%00'])
      expect((await ask(`/invoices?${query}`, { headers })).status, query).toBe(400);
    expect((await ask('/invoices.csv?year=2026%0d%0aX-Evil:1', { headers })).status).toBe(400);
  });

  test('content types', async () => {
    const headers = bearer(await tokenOf('kiln'));
    const body = '{"number":"K-9","customer":"Bob","amount":1}';
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json; charset=utf-16',
      'application/jsonp',
      '',
    ];
    for (const type of types)
      expect([400, 415], type).toContain(
        (await ask('/invoices', { method: 'POST', body, headers: { ...headers, 'content-type': type } }))
          .status,
      );
    for (const encoding of ['gzip', 'deflate', 'br'])
      expect([400, 415], encoding).toContain(
        (
          await ask('/invoices', {
            method: 'POST',
            body,
            headers: { ...headers, 'content-encoding': encoding },
          })
        ).status,
      );
  });
});

/** Connections of the service to its database: direct or through a pooler. */
const ways = [
  ['directly', () => server],
  ['behind PgBouncer in transaction mode', () => pooler],
] as const;

describe.each(ways)('tenants under load, %s', (way, target) => {
  const tenants = Array.from({ length: 8 }, (_, index) => `t${index}x`);
  let before: RunningService;
  let tokens: ReadonlyMap<string, string>;

  beforeAll(async () => {
    await server.exec(
      database,
      `DELETE FROM payment; DELETE FROM invoice WHERE tenant LIKE 't_x'; DELETE FROM api_key WHERE tenant LIKE 't_x';
       INSERT INTO tenant SELECT 't' || i || 'x', 't' || i || 'x' FROM generate_series(0, 7) AS i ON CONFLICT DO NOTHING;
       INSERT INTO invoice (tenant, number, customer, amount)
         SELECT 't' || i % 8 || 'x', 't' || i % 8 || 'x-' || i, 't' || i % 8 || 'x', 1 FROM generate_series(0, 399) AS i;
       ALTER DATABASE ${database} SET default_transaction_isolation = 'serializable';`,
    );
    before = service;
    service = await started(target(), {
      AUTHENTICATION_USERS_JWKS: keysAddress,
      DATASOURCE_TENANTS_POOL_MAX: '6',
      REQUEST_TIMEOUT: '10000',
    });
    const made = tenants.map(async (tenant) => [tenant, await tokenOf(tenant)] as const);
    tokens = new Map(await Promise.all(made));
  });

  afterAll(async () => {
    await service.stop();
    service = before;
  });

  test('no row of another one is seen or changed', async () => {
    const range = (await server.exec(
      database,
      "SELECT min(id) AS low, max(id) AS high FROM invoice WHERE tenant LIKE 't_x'",
    )) as {
      low: number;
      high: number;
    }[];
    const [{ low, high } = { low: 0, high: 0 }] = range;
    const statuses = new Map<number, number>();
    const foreign: string[] = [];
    const made = new Map<string, string[]>();
    let rows = 0;
    let left = requests;

    const work = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const tenant = tenants[left % tenants.length] ?? '';
        const id = low + Math.floor(Math.random() * (high - low + 20));
        const key = made.get(tenant)?.at(-1);
        const isOfKey = key !== undefined && Math.random() < 0.2;
        const headers = isOfKey ? { 'x-api-key': key } : bearer(tokens.get(tenant) ?? '');
        const [path, sent] = tryOf(Math.floor(Math.random() * 12), tenant, id);
        const response = await ask(path, {
          ...sent,
          headers: { ...headers, ...sent.headers },
          ...(Math.random() < 0.04 ? { leaves: Math.random() * 8 } : {}),
        });
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        if (response.status !== 200 && response.status !== 201) continue;
        const names = response.text.match(/t\dx/g) ?? [];
        rows += names.length;
        if (names.some((name) => name !== tenant)) foreign.push(`${tenant} ${path}: ${response.text}`);
        const [, secretKey] = /"key":"(sk_\w+)"/.exec(response.text) ?? [];
        if (secretKey !== undefined) made.set(tenant, [...(made.get(tenant) ?? []), secretKey]);
      }
    };
    let cuts = 0;
    const cut = async (): Promise<void> => {
      const kept = await server.connect(database);
      while (left > 0) {
        await delay(200);
        await kept.run(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`,
        );
        cuts += 1;
      }
      await kept.end();
    };
    await Promise.all([...Array.from({ length: 32 }, work), cut()]);

    console.log(
      `${way}: ${requests} requests, ${rows} names of tenants, ${cuts} cuts, ${JSON.stringify(Object.fromEntries(statuses))}`,
    );
    expect(foreign).toEqual([]);
    const wrong = await server.exec(
      database,
      `SELECT tenant, number, customer FROM invoice WHERE tenant LIKE 't_x' AND (number NOT LIKE tenant || '-%' OR customer <> tenant)
       UNION ALL SELECT tenant, name, '' FROM api_key WHERE tenant LIKE 't_x' AND name NOT LIKE tenant || '-%'`,
    );
    expect(wrong).toEqual([]);
    // Each of these statuses occurred, and no others.
    for (const status of [0, 200, 201, 204, 401, 404, 412])
      expect(statuses.get(status), String(status)).toBeGreaterThan(0);
    expect(
      [...statuses.keys()].filter(
        (status) => ![0, 200, 201, 204, 401, 403, 404, 409, 412, 500, 503, 504].includes(status),
      ),
    ).toEqual([]);
    expect(rows).toBeGreaterThan(requests);
    expect(cuts).toBeGreaterThan(1);
  }, 600_000);

  /** A forged token for the page after any invoice; its format is visible in the Link header. */
  function pageBehind(id: number): string {
    return Buffer.from(JSON.stringify(['6eIymLwC', id])).toString('base64url');
  }

  /** A request of a tenant with an id that may belong to any tenant. */
  function tryOf(kind: number, tenant: string, id: number): readonly [string, Sent] {
    const unique = randomBytes(6).toString('hex');
    const change = JSON.stringify({ customer: tenant, amount: 1 + (id % 90) });
    switch (kind) {
      case 0:
      case 1:
        return [`/invoices?after=${pageBehind(id)}&limit=10`, {}];
      case 2:
        return ['/invoices?limit=20', {}];
      case 3:
      case 4:
        return [`/invoices/${id}`, {}];
      case 5:
        return [
          '/invoices',
          {
            method: 'POST',
            body: JSON.stringify({ number: `${tenant}-${unique}`, customer: tenant, amount: 5 }),
          },
        ];
      case 6:
        return [
          `/invoices/${id}`,
          { method: 'PUT', body: change, headers: { 'if-match': `"${1 + (id % 2)}"` } },
        ];
      case 7:
        return [`/invoices/${id}`, { method: 'PUT', body: change, headers: { 'if-match': '*' } }];
      case 8:
        return Math.random() < 0.1 ? [`/invoices/${id}`, { method: 'DELETE' }] : ['/me', {}];
      case 9:
        return [`/invoices.csv?year=${new Date().getUTCFullYear()}`, {}];
      case 10:
        return [
          '/keys',
          {
            method: 'POST',
            body: JSON.stringify({ name: `${tenant}-${unique}`, scopes: ['invoices:write'] }),
          },
        ];
      default:
        return ['/keys', {}];
    }
  }
});
