/** HTTP Basic (RFC 7617): all ways to write credentials, combined with all ways to write a path. */
import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accept } from '../../../runtime/authentication/accept.js';
import { basicAuth, type BasicAuth } from '../../../runtime/basicauth/basic-auth.js';
import { jsonBody } from '../../../runtime/http/json-body.js';
import type { Route } from '../../../runtime/http/route.js';
import { reply } from '../../../runtime/responses/reply.js';
import { readSettings } from '../../../runtime/server/settings.js';
import { createLog } from '../../../runtime/server/log.js';
import { StartError } from '../../../runtime/server/environment.js';
import { RawConnection } from '../raw-http.js';
import { serve, type Served } from '../serve.js';
import { runs } from '../../helpers/runs.js';

const base64 = (text: string, encoding: BufferEncoding = 'utf8') =>
  Buffer.from(text, encoding).toString('base64');

const accounts = {
  admin: { user: 'admin', password: 'a:b' },
  jürgen: { user: 'jürgen', password: 'žluť 🔑?>' },
};

function opened(name: string, user: string, password: string): BasicAuth {
  const authentication = basicAuth(name);
  const variables = { AUTHENTICATION_X_USER: user, AUTHENTICATION_X_PASSWORD: password };
  readSettings({ variables, authentications: [authentication] });
  return authentication;
}

const admin = opened('x', accounts.admin.user, accounts.admin.password);
const jürgen = opened('x', accounts.jürgen.user, accounts.jürgen.password);

function isRight(authentication: BasicAuth, authorization: string | undefined): boolean {
  const request = { headers: { authorization } } as IncomingMessage;
  const nothing = {
    query: '',
    log: createLog('silent'),
    deadline: 0,
    limits: { bodyLimit: 0 },
    accept: () => undefined,
    decided: () => undefined,
    counted: () => undefined,
  };
  return typeof authentication.identify({ request, ...nothing }) === 'object';
}

const ran: string[] = [];

function route(name: string, authentications?: readonly BasicAuth[]): Route {
  const [method = '', path = ''] = name.split(' ');
  const handler = (): ReturnType<typeof reply> => {
    ran.push(name);
    return reply(200, name);
  };
  return {
    method,
    path,
    handler,
    ...(method === 'POST' && { body: jsonBody }),
    ...(authentications && authentications.length > 0 && { access: accept(...authentications) }),
  };
}

const both = [admin, jürgen];
const routes = [
  route('GET /', both),
  route('GET /news', both),
  route('POST /news', [admin]),
  route('DELETE /news', [jürgen]),
  route('OPTIONS /news', both),
  route('GET /news/{id}', both),
  route('GET /news/latest', [admin]),
  route('GET /files/{name}.json', [jürgen]),
  route('GET /public', []),
  route('GET /public/{id}', []),
  route('GET /public/{id}/secret', both),
  route('GET /docs-ui-admin', both),
  route('GET /v3/api-docs-private', both),
  route('GET /free'),
];

/** Requests, and the accounts that may send them: `open` for everybody; undefined if there is no such operation. */
type Access = 'both' | 'admin' | 'jürgen' | 'open' | undefined;
const requests: readonly (readonly [string, Access])[] = [
  ['GET /', 'both'],
  ['GET /?', 'both'],
  ['GET http://host/', 'both'],
  ['GET http://host?x=/public', 'both'],
  ['GET /news', 'both'],
  ['GET /news?x=1&x=2', 'both'],
  ['GET /news?/public', 'both'],
  ['GET /news?x=%', 'both'],
  ['GET /%6Eews', 'both'],
  ['GET http://host/news', 'both'],
  ['HEAD /news', 'both'],
  ['OPTIONS /news', 'both'],
  ['POST /news', 'admin'],
  ['DELETE /news', 'jürgen'],
  ['GET /news/5', 'both'],
  ['GET /news/%2e%2e%2fpublic', 'both'],
  ['GET /news/..%2Fpublic', 'both'],
  ['GET /news/public', 'both'],
  ['GET /news/;/public', undefined],
  ['GET /news/latest', 'admin'],
  ['GET /news/lates%74', 'admin'],
  ['GET /news/latest;x', 'both'],
  ['GET /files/a.json', 'jürgen'],
  ['GET /files/..%2fpublic.json', 'jürgen'],
  ['GET /public', 'open'],
  ['GET /public/5', 'open'],
  ['GET /public/..%2fnews', 'open'],
  ['GET /public/5/secret', 'both'],
  ['GET /public/5/%73ecret', 'both'],
  ['GET /docs-ui-admin', 'both'],
  ['GET /docs-ui', undefined],
  ['GET /docs-ui/secret', undefined],
  ['GET /docs-ui%2f..%2fnews', undefined],
  ['GET /v3/api-docs-private', 'both'],
  ['GET /v3/api-docs/../api-docs-private', undefined],
  ['GET /free', 'open'],
  ['GET /NEWS', undefined],
  ['GET /news/', undefined],
  ['GET //news', undefined],
  ['GET /public/../news', undefined],
  ['PATCH /news', undefined],
];

const adminToken = base64('admin:a:b');
const jürgenToken = base64('jürgen:žluť 🔑?>');

/** Headers as sent, and the account whose credentials they contain. */
const headers: readonly (readonly [string, 'admin' | 'jürgen' | undefined])[] = [
  ['', undefined],
  [`Authorization: Basic ${adminToken}\r\n`, 'admin'],
  [`authorization:basic ${adminToken}\r\n`, 'admin'],
  [`AUTHORIZATION: \t BASIC    ${adminToken} \t\r\n`, 'admin'],
  [`Authorization: Basic ${jürgenToken}\r\n`, 'jürgen'],
  ['Authorization:\r\n', undefined],
  ['Authorization: Basic\r\n', undefined],
  ['Authorization: Basic Og==\r\n', undefined],
  [`Authorization: Basic${adminToken}\r\n`, undefined],
  [`Authorization: Basic\t${adminToken}\r\n`, undefined],
  [`Authorization: ${adminToken}\r\n`, undefined],
  [`Authorization: Bearer ${adminToken}\r\n`, undefined],
  [`Authorization: Digest ${adminToken}\r\n`, undefined],
  [`Authorization: Basic ${adminToken}, Basic ${adminToken}\r\n`, undefined],
  [`Authorization: Basic ${adminToken}\r\nAuthorization: Basic ${adminToken}\r\n`, undefined],
  [`Authorization: Basic ${base64('admin:wrong')}\r\nAuthorization: Basic ${adminToken}\r\n`, undefined],
  [`Authorization: Basic ${adminToken} ${adminToken}\r\n`, undefined],
  [`Authorization: Basic ${adminToken}!!!\r\n`, undefined],
  [`Authorization: Basic ${adminToken}=\r\n`, undefined],
  [`Authorization: Basic ${jürgenToken.replaceAll('=', '')}x\r\n`, undefined],
  [`Authorization: Basic ${jürgenToken.replaceAll('+', '-').replaceAll('/', '_')}=\r\n`, undefined],
  [`Authorization: Basic ${adminToken.slice(0, 4)} ${adminToken.slice(4)}\r\n`, undefined],
  [`Authorization: Basic realm="x", ${adminToken}\r\n`, undefined],
  [`Authorization: Basic ${base64('admin')}\r\n`, undefined],
  [`Authorization: Basic ${base64('admin:')}\r\n`, undefined],
  [`Authorization: Basic ${base64('admin:a')}\r\n`, undefined],
  [`Authorization: Basic ${base64('Admin:a:b')}\r\n`, undefined],
  [`Authorization: Basic ${base64('admin:a:b\0')}\r\n`, undefined],
  [`Authorization: Basic ${base64('jürgen:a:b')}\r\n`, undefined],
  [`Authorization: Basic ${base64('jürgen:žluť 🔑?>', 'latin1')}\r\n`, undefined],
  [`Authorization: Basic ${base64('admin:a:b', 'utf16le')}\r\n`, undefined],
  [`Proxy-Authorization: Basic ${adminToken}\r\n`, undefined],
  [`X-Authorization: Basic ${adminToken}\r\n`, undefined],
  [`Cookie: Authorization=Basic ${adminToken}\r\n`, undefined],
];

let served: Served;
beforeAll(async () => {
  served = await serve(routes);
});
afterAll(() => served.stop());

describe('no bypass', () => {
  test(`${requests.length} requests with each of ${headers.length} headers`, async () => {
    let refused = 0;
    let admitted = 0;
    let bypasses = 0;
    for (const [line, access] of requests) {
      for (const [header, who] of headers) {
        ran.length = 0;
        const text = `${line} HTTP/1.1\r\nHost: host\r\n${header}Connection: close\r\n\r\n`;
        // A response to HEAD has a Content-Length but no body.
        const connection = new RawConnection(served.port).write(text);
        await connection.closed;
        const answered = Number(connection.text.split(' ')[1]);
        const challenge = /^WWW-Authenticate: (.*)\r$/m.exec(connection.text)?.[1];
        const isOpen = access === 'open' || access === undefined;
        const isRight = isOpen || who === access || (access === 'both' && who !== undefined);
        const status = access === undefined ? (line.startsWith('PATCH') ? 405 : 404) : isRight ? 200 : 401;
        const shown = `${line} ${header}`;
        expect(answered, shown).toBe(line.endsWith('=%') && isRight ? 400 : status);
        expect(challenge, shown).toBe(status === 401 ? 'Basic realm="service", charset="UTF-8"' : undefined);
        if (status === 401) refused += 1;
        else admitted += 1;
        if (!isRight) bypasses += ran.length;
      }
    }
    process.stdout.write(
      `${requests.length} requests × ${headers.length} headers: ${refused} refused, ${admitted} admitted or not found, ${bypasses} bypasses\n`,
    );
    expect(bypasses).toBe(0);
    expect(requests.length).toBeGreaterThanOrEqual(40);
    expect(headers.length).toBeGreaterThanOrEqual(30);
  });
});

describe('before anything else', () => {
  test('a client that waits for 100 Continue is refused without having sent its body', async () => {
    const connection = new RawConnection(served.port).write(
      'POST /news HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n',
    );
    expect((await connection.untilClosed()).map(({ status }) => status)).toEqual([401]);
    expect(connection.text).not.toContain('100 Continue');
  });

  test('and with credentials it is asked to continue', async () => {
    const connection = new RawConnection(served.port).write(
      `POST /news HTTP/1.1\r\nHost: a\r\nAuthorization: Basic ${adminToken}\r\nConnection: close\r\n` +
        'Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n',
    );
    while (!connection.text.includes('100 Continue')) await new Promise((resolve) => setTimeout(resolve, 5));
    await connection.write('{}').closed;
    expect(connection.text).toContain('HTTP/1.1 200 OK');
  });

  test('a body that is too large, malformed or of another type makes no difference', async () => {
    for (const [type, body] of [
      ['application/json', '{'],
      ['text/plain', 'x'],
      ['application/json', `"${'x'.repeat(1024 * 1024)}"`],
    ] as const) {
      const response = await fetch(`${served.url}/news`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      });
      expect([response.status, await response.text()]).toEqual([401, '{"message":"Unauthorized"}']);
    }
  });

  test('the connection continues with the next request', async () => {
    const body = '{"a":1}';
    const connection = new RawConnection(served.port).write(
      `POST /news HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}` +
        `GET /news HTTP/1.1\r\nHost: a\r\nAuthorization: Basic ${adminToken}\r\nConnection: close\r\n\r\n`,
    );
    expect((await connection.untilClosed()).map(({ status }) => status)).toEqual([401, 200]);
  });
});

describe('any account', () => {
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((value) => !/[\p{Cc}\p{Cs}]/u.test(value));
  const user = text.map((value) => value.replaceAll(':', ';'));

  test('accepts its own credentials, and none that differ', () => {
    fc.assert(
      fc.property(user, text, fc.string({ unit: 'binary', maxLength: 30 }), (name, password, other) => {
        const authentication = opened('x', name, password);
        const right = `${name}:${password}`.normalize('NFC');
        expect(isRight(authentication, `Basic ${base64(right)}`)).toBe(true);
        for (const wrong of [other, `${right}x`, right.slice(1), right.slice(0, -1), ''])
          if (wrong !== right && !/\p{Cs}/u.test(wrong))
            expect(isRight(authentication, `Basic ${base64(wrong)}`)).toBe(false);
        expect(isRight(authentication, other)).toBe(false);
      }),
      { numRuns: runs(125, 2000) },
    );
  });

  test('accepts nobody before its settings are read', () => {
    expect(isRight(basicAuth('x'), `Basic ${base64(':')}`)).toBe(false);
    expect(isRight(basicAuth('x'), undefined)).toBe(false);
  });
});

describe('settings', () => {
  function problemsOf(variables: Readonly<Record<string, string>>, envFile = ''): readonly string[] {
    try {
      readSettings({ variables, envFile, authentications: [basicAuth('newsDesk')] });
    } catch (error) {
      if (error instanceof StartError) return error.problems;
    }
    return [];
  }
  const user = 'AUTHENTICATION_NEWS_DESK_USER';
  const password = 'AUTHENTICATION_NEWS_DESK_PASSWORD';

  test.each<[string, Record<string, string>, string, readonly RegExp[]]>([
    ['missing ones', {}, '', [/_USER is not set: it is the field user/, /_PASSWORD is not set/]],
    ['empty ones', { [user]: '', [password]: '' }, '', [/_USER is empty/, /_PASSWORD is empty/]],
    ['a colon in the user', { [user]: 'se:cret', [password]: 'x:y' }, '', [/_USER has a colon/]],
    ['control characters', { [user]: 'a\n', [password]: '\0' }, '', [/_USER has a/, /_PASSWORD has a/]],
    ['a reference to nothing', { [user]: 'a' }, `${password}=\${SECRET}\n`, [/variable SECRET is not set/]],
  ])('%s stop the start', (_, variables, envFile, problems) => {
    const found = problemsOf(variables, envFile);
    expect(found).toHaveLength(problems.length);
    for (const [index, problem] of problems.entries()) expect(found[index]).toMatch(problem);
    expect(found.join()).not.toContain('se:cret');
  });

  test('the password and what clients send are secrets for the log', () => {
    const variables = { [user]: 'desk', [password]: 'correct-horse' };
    const { secrets } = readSettings({ variables, authentications: [basicAuth('newsDesk')] });
    expect(secrets).toEqual(['correct-horse', base64('desk:correct-horse')]);
  });
});
