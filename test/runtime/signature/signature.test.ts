/** Signed requests: what each scheme covers, and forgery attempts. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonBody } from '../../../runtime/http/json-body.js';
import { accept } from '../../../runtime/authentication/accept.js';
import { apiKey } from '../../../runtime/apikey/api-key.js';
import { basicAuth } from '../../../runtime/basicauth/basic-auth.js';
import { reply } from '../../../runtime/responses/reply.js';
import { jwtOfKey } from '../../../runtime/jwt/own-key.js';
import { StartError } from '../../../runtime/server/environment.js';
import { readSettings } from '../../../runtime/server/settings.js';
import type { SchemeName } from '../../../runtime/signature/schemes.js';
import { signature } from '../../../runtime/signature/signature.js';
import { RawConnection } from '../raw-http.js';
import { serve, type Served } from '../serve.js';

const raw = 'standard-webhooks-secret';
const secrets: Readonly<Record<SchemeName, string>> = {
  github: 'github-secret',
  stripe: 'whsec_stripe-secret',
  slack: 'slack-secret',
  'standard-webhooks': `whsec_${Buffer.from(raw).toString('base64')}`,
};
const names = Object.keys(secrets) as SchemeName[];

let served: Served;

beforeAll(async () => {
  const hooks = names.map((scheme) => signature(scheme, { scheme, secrets: 2 }));
  const others = [
    basicAuth('admin'),
    apiKey('partners', { header: 'X-Api-Key', keys: ['acme'] }),
    jwtOfKey('users'),
  ];
  const variables: Record<string, string> = {
    AUTHENTICATION_ADMIN_USER: 'admin',
    AUTHENTICATION_ADMIN_PASSWORD: secrets.github,
    AUTHENTICATION_PARTNERS_KEY_ACME: 'x'.repeat(32),
    AUTHENTICATION_USERS_ISSUER: 'i',
    AUTHENTICATION_USERS_AUDIENCE: 'a',
    AUTHENTICATION_USERS_KEY: 'y'.repeat(32),
  };
  for (const scheme of names) {
    const variable = `AUTHENTICATION_${scheme.toUpperCase().replace('-', '_')}_SECRET`;
    variables[variable] =
      scheme === 'standard-webhooks' ? Buffer.from('another-secret-16').toString('base64') : 'newer-secret';
    variables[`${variable}_2`] = secrets[scheme];
  }
  readSettings({ variables, authentications: [...hooks, ...others] });
  const handler = ({
    caller,
    body,
  }: {
    readonly caller: unknown;
    readonly body: unknown;
  }): ReturnType<typeof reply> => reply(200, JSON.parse(JSON.stringify({ caller, body })) as never);
  served = await serve(
    [
      ...hooks.map((hook) => ({
        method: 'POST',
        path: `/${hook.name}`,
        handler,
        body: jsonBody,
        access: accept(hook),
      })),
      { method: 'POST', path: '/others', handler, body: jsonBody, access: accept(...others) },
      { method: 'POST', path: '/both', handler, body: jsonBody, access: accept(...hooks, ...others) },
    ],
    { limits: { bodyLimit: 500 } },
  );
});

afterAll(() => served.stop());

interface Sent {
  readonly body?: string;
  readonly time?: number | string;
  readonly secret?: string;
  readonly id?: string;
  readonly encoding?: 'hex' | 'base64';
}

const text = '{"n":1}';
const now = (): number => Math.floor(Date.now() / 1000);

/** Valid headers of a scheme, except for the given changes. */
function signed(
  scheme: SchemeName,
  { body = text, time = now(), secret, id = 'msg_1', encoding }: Sent = {},
): Record<string, string> {
  const hmac = (key: string, covered: string, own: 'hex' | 'base64'): string =>
    createHmac('sha256', key)
      .update(covered)
      .digest(encoding ?? own);
  const key = secret ?? (scheme === 'standard-webhooks' ? raw : secrets[scheme]);
  switch (scheme) {
    case 'github':
      return { 'x-hub-signature-256': `sha256=${hmac(key, body, 'hex')}`, 'x-github-delivery': id };
    case 'stripe':
      return { 'stripe-signature': `t=${time},v1=${hmac(key, `${time}.${body}`, 'hex')}` };
    case 'slack':
      return {
        'x-slack-request-timestamp': String(time),
        'x-slack-signature': `v0=${hmac(key, `v0:${time}:${body}`, 'hex')}`,
      };
    case 'standard-webhooks':
      return {
        'webhook-id': id,
        'webhook-timestamp': String(time),
        'webhook-signature': `v1,${hmac(key, `${id}.${time}.${body}`, 'base64')}`,
      };
  }
}

function post(
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array<ArrayBuffer> = text,
): Promise<Response> {
  return fetch(`${served.url}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
}

async function status(
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<number> {
  return (await post(path, headers, body)).status;
}

describe.each(names)('%s', (scheme) => {
  const timed = scheme !== 'github';

  test('is accepted with the older of two secrets; the caller has what is covered', async () => {
    const time = now();
    const response = await post(scheme, signed(scheme, { time }));
    expect(response.status).toBe(200);
    const id = scheme === 'standard-webhooks' ? 'msg_1' : null;
    const caller = { sub: scheme, id, timestamp: timed ? time : null, authentication: scheme };
    expect(await response.json()).toEqual({ caller, body: { n: 1 } });
  });

  test('covers each byte of the body', async () => {
    for (const body of ['{"n":2}', '{"n": 1}', '{"n":1}\n', ''])
      expect(await status(scheme, signed(scheme), body)).toBe(401);
  });

  test('of another secret, and of none', async () => {
    expect(await status(scheme, signed(scheme, { secret: 'guess' }))).toBe(401);
    expect(await status(scheme, signed(scheme, { secret: '' }))).toBe(401);
    expect(await status(scheme, {})).toBe(401);
  });

  test('of another scheme', async () => {
    for (const other of names.filter((name) => name !== scheme)) {
      const secret = scheme === 'standard-webhooks' ? raw : secrets[scheme];
      expect(await status(scheme, signed(other, { secret }))).toBe(401);
    }
  });

  test('in another encoding', async () => {
    expect(
      await status(scheme, signed(scheme, { encoding: scheme === 'standard-webhooks' ? 'hex' : 'base64' })),
    ).toBe(401);
    const upper = Object.fromEntries(
      Object.entries(signed(scheme)).map(([name, value]) => [
        name,
        name.includes('signature')
          ? value.replace(/[0-9a-f]{64}/, (hex) => hex.toUpperCase().replace(/^\d+$/, 'A'))
          : value,
      ]),
    );
    if (scheme !== 'standard-webhooks') expect(await status(scheme, upper)).toBe(401);
  });

  test('a body that is compressed is not what was signed', async () => {
    const response = await post(scheme, { ...signed(scheme), 'content-encoding': 'gzip' });
    expect(response.status).toBe(415);
  });

  test('with its time', async () => {
    if (!timed) {
      expect(await status(scheme, signed(scheme, { time: 1 }))).toBe(200);
      return;
    }
    expect(await status(scheme, signed(scheme, { time: now() - 290 }))).toBe(200);
    expect(await status(scheme, signed(scheme, { time: now() + 290 }))).toBe(200);
    expect(await status(scheme, signed(scheme, { time: now() - 310 }))).toBe(401);
    expect(await status(scheme, signed(scheme, { time: now() + 310 }))).toBe(401);
    for (const time of ['', '-1', '1e9', `${now()}.5`, ` ${now()} x`, '0x7fffffff'])
      expect(await status(scheme, signed(scheme, { time })), time).toBe(401);
    const other = Object.entries(signed(scheme)).map(([name, value]) => [
      name,
      value.replaceAll(String(now()), String(now() + 1)),
    ]);
    expect(await status(scheme, Object.fromEntries(other) as Record<string, string>)).toBe(401);
  });

  test('opens nothing else, and nothing else opens it', async () => {
    expect(await status('others', signed(scheme))).toBe(401);
    const credentials = [
      { authorization: `Basic ${Buffer.from(`admin:${secrets.github}`).toString('base64')}` },
      { authorization: `Bearer ${secrets[scheme]}` },
      { 'x-api-key': secrets[scheme] },
      { 'x-api-key': 'x'.repeat(32) },
    ];
    for (const headers of credentials) expect(await status(scheme, headers)).toBe(401);
    for (const headers of credentials.slice(1, 3)) expect(await status('others', headers)).toBe(401);
  });

  test('a body that is too large is 413, signed or not, and a form with files 415', async () => {
    const body = JSON.stringify('x'.repeat(500));
    expect(await status(scheme, signed(scheme, { body }), body)).toBe(413);
    expect(await status(scheme, signed(scheme), body)).toBe(413);
    expect(
      await status(scheme, { ...signed(scheme), 'content-type': 'multipart/form-data; boundary=x' }),
    ).toBe(415);
  });

  test('decides alone where others are accepted, too', async () => {
    const key = { 'x-api-key': 'x'.repeat(32) };
    expect(await status('both', key)).toBe(200);
    expect(await status('both', { ...key, ...signed(scheme, { secret: 'guess' }) })).toBe(401);
  });
});

test('several signatures: any may be right, in one header', async () => {
  const time = now();
  const right = (signed('stripe', { time })['stripe-signature'] ?? '').split('v1=')[1] ?? '';
  const wrong = 'a'.repeat(64);
  expect(await status('stripe', { 'stripe-signature': `t=${time},v1=${wrong},v1=${right},v0=x` })).toBe(200);
  expect(await status('stripe', { 'stripe-signature': `t=${time},v0=${right},v1=${wrong}` })).toBe(401);
  expect(await status('stripe', { 'stripe-signature': `t=${time - 400},t=${time},v1=${right}` })).toBe(401);
  const standard = signed('standard-webhooks', { time });
  const own = standard['webhook-signature'] ?? '';
  expect(
    await status('standard-webhooks', { ...standard, 'webhook-signature': `v1,AAAA v1a,x ${own}` }),
  ).toBe(200);
  expect(
    await status('standard-webhooks', { ...standard, 'webhook-signature': own.replace('v1,', 'v2,') }),
  ).toBe(401);
});

test('an id is what was signed: no dot makes another one of the same bytes', async () => {
  const time = now();
  const covered = `a.b.${time}.${text}`;
  const mac = createHmac('sha256', raw).update(covered).digest('base64');
  const headers = { 'webhook-timestamp': String(time), 'webhook-signature': `v1,${mac}` };
  expect(await status('standard-webhooks', { ...headers, 'webhook-id': 'a.b' })).toBe(401);
});

test('a client that waits for 100 Continue is asked for the body first', async () => {
  const headers = Object.entries(signed('github')).map(([name, value]) => `${name}: ${value}\r\n`);
  const connection = new RawConnection(served.port).write(
    `POST /github HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\nExpect: 100-continue\r\nConnection: close\r\n${headers.join('')}\r\n${text}`,
  );
  expect((await connection.untilClosed()).map((response) => response.status)).toEqual([100, 200]);
});

test('secrets of another form stop the start', () => {
  const hook = signature('hook', { scheme: 'standard-webhooks' });
  const start = (secret: string): unknown =>
    readSettings({ variables: { AUTHENTICATION_HOOK_SECRET: secret }, authentications: [hook] });
  for (const secret of ['', 'whsec_no base64', 'c2hvcnQ=']) expect(() => start(secret)).toThrow(StartError);
  expect(() => start(secrets['standard-webhooks'])).not.toThrow();
});
