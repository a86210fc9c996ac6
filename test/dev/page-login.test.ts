/** The log-in of the test page: what is offered, who is asked from where, requests as commands, and targets without keys. */
import { execFile } from 'node:child_process';
import { request, type OutgoingHttpHeaders } from 'node:http';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { isOfOtherUser } from '../../compiler/tools/commands/dev/connection-owner.js';
import { curlOfPage } from '../../compiler/tools/commands/dev/dev-login.js';
import { DevCredentials, NoCredentials } from '../../compiler/tools/dev/dev-credentials.js';
import { Front } from '../../compiler/tools/dev/front.js';
import { PageLogin } from '../../compiler/tools/dev/page-login.js';
import { keyParameters } from '../../compiler/read/config/key-parameters.js';
import { shownTarget } from '../../compiler/tools/dev/shown-target.js';
import type { Config } from '../../compiler/read/config/config-model.js';

const config = `specification: '1.0'
operations:
  find:
    responses: [{ name: ok, default: true, statuscode: 200, schema: { sub: PARAM(key) } }]
  GET /me:
    authentications: [pages, users, taken, rows, queried]
    responses: [{ name: ok, default: true, statuscode: 200, schema: { caller: CALLER() } }]
authentications:
  pages: { type: custom }
  users: { type: jwt, issuer: 'https://id.example', audience: notes, key: '\${TOKEN_KEY}' }
  taken: { type: basicauth, user: ada, passwordHash: '\${HASH}' }
  rows: { type: apikey, header: X-Key, operation: find }
  queried: { type: apikey, query: 'api key', keys: { acme: '\${ACME}' } }
`;

function configuration(): Config {
  const { analysis } = checkSource({ config: { path: 'config.yaml', text: config } });
  if (analysis === undefined) throw new Error('The configuration cannot be read.');
  return analysis.config;
}

let front: Front;
let credentials: DevCredentials;

beforeEach(() => {
  front = new Front({ overlay: '', loginScript: '', seen: () => undefined, ran: () => undefined });
  credentials = new DevCredentials('http://localhost', () => undefined);
  front.login = new PageLogin({
    makers: () => credentials.makers,
    tests: () => [],
    curl: curlOfPage,
    isOfOtherUser,
  });
});
afterEach(async () => {
  await credentials.stop();
  await front.close();
});

/** A request of the test page, with its status and JSON body. */
function ask(host: string, port: number, action: string, question: object = {}): Promise<[number, unknown]> {
  const headers: OutgoingHttpHeaders = {
    'content-type': 'application/json',
    'x-apikiln-dev': 'login',
    'sec-fetch-site': 'same-origin',
    origin: `http://${host}:${port}`,
  };
  const path = `/docs-ui/apikiln-dev/login/${action}`;
  return new Promise((resolve, reject) => {
    const outgoing = request({ host, port, path, method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => {
        resolve([response.statusCode ?? 0, JSON.parse(text)]);
      });
    });
    outgoing.on('error', reject).end(JSON.stringify(question));
  });
}

async function prepare(): Promise<void> {
  const environment = {
    HASH: '$scrypt$',
    AUTHENTICATION_TAKEN_PASSWORD_HASH_2: '$scrypt$other',
    ACME: 'a'.repeat(40),
  };
  // As the service has them.
  const envText = 'AUTHENTICATION_QUERIED_KEY_ACME=${ACME}\nAUTHENTICATION_USERS_KEY=${TOKEN_KEY}\n';
  credentials.use(await credentials.prepare(configuration(), { environment, dotenv: '', envText }));
}

test('authentications without credentials have the reason, also as the answer to a question', async () => {
  const port = await front.listen('127.0.0.1', 0);
  expect(await ask('127.0.0.1', port, 'callers')).toMatchObject([503, {}]);
  await prepare();
  const custom = "The credentials of 'pages' are checked by src/middleware.ts, so only you know them.";
  const taken = expect.stringMatching(/^AUTHENTICATION_TAKEN_PASSWORD_HASH_2 is already set/) as string;
  const rows = expect.stringMatching(/^The keys of 'rows' are found by the operation 'find'/) as string;
  expect(await ask('127.0.0.1', port, 'callers')).toEqual([
    200,
    [
      { name: 'pages', type: 'custom', problem: custom, callers: [] },
      { name: 'users', type: 'jwt', callers: [] },
      { name: 'taken', type: 'basicauth', problem: taken, callers: [] },
      { name: 'rows', type: 'apikey', problem: rows, callers: [] },
      { name: 'queried', type: 'apikey', callers: [{ id: 'acme', label: 'acme' }] },
    ],
  ]);
  for (const [question, message] of [
    [{ authentication: 'pages' }, custom],
    [{ authentication: 'taken' }, taken],
    [{ authentication: 'rows' }, rows],
    [{ authentication: 'users', caller: 'removed' }, 'The tests no longer have this caller.'],
    [{ authentication: 'others' }, "The configuration has no authentication 'others'."],
  ] as const)
    expect(await ask('127.0.0.1', port, 'credentials', question)).toEqual([422, { message }]);
  expect(await ask('127.0.0.1', port, 'credentials', { authentication: 'queried', caller: 'acme' })).toEqual([
    200,
    { headers: {}, query: [['api key', 'a'.repeat(40)]] },
  ]);
  for (const question of [{}, [], { authentication: 1 }, { authentication: 'users', request: {} }])
    expect(await ask('127.0.0.1', port, 'credentials', question)).toMatchObject([400, {}]);
  expect(await ask('127.0.0.1', port, 'curl', { authentication: 'users' })).toMatchObject([400, {}]);
});

const address = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

test.runIf(address !== undefined)('with HOST=0.0.0.0, only a browser on this machine logs in', async () => {
  const port = await front.listen('0.0.0.0', 0);
  await prepare();
  expect(await ask('127.0.0.1', port, 'credentials', { authentication: 'users' })).toMatchObject([200, {}]);
  expect(await ask(address ?? '', port, 'credentials', { authentication: 'users' })).toEqual([
    403,
    { message: 'Only a browser on the machine of apikiln dev can log in' },
  ]);
});

const isRootOfLinux = process.getuid?.() === 0 && process.platform === 'linux';

test.runIf(isRootOfLinux)('another user of this machine does not log in', async () => {
  const port = await front.listen('127.0.0.1', 0);
  await prepare();
  const script = `
    const { request } = require('node:http');
    const headers = { 'content-type': 'application/json', 'x-apikiln-dev': 'login', 'sec-fetch-site': 'same-origin' };
    const options = { host: '127.0.0.1', port: ${port}, path: '/docs-ui/apikiln-dev/login/credentials', method: 'POST', headers };
    request(options, (response) => response.pipe(process.stdout)).end('{"authentication":"users"}');
  `;
  const printedBy = async (uid: number): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], {
      uid,
      gid: uid,
      cwd: '/',
    });
    return stdout;
  };
  expect(await printedBy(65_534)).toBe('{"message":"Only a browser of the user of apikiln dev can log in"}');
  expect(await printedBy(0)).toContain('Bearer eyJ');
});

const none = { headers: {}, query: [] };
const url = 'http://localhost:8080/notes';

test('requests as commands: bodies, files, parts, and values of the query', () => {
  const token = { headers: { authorization: 'Bearer t' }, query: [] };
  const headers = { accept: '*/*', 'X-Empty': '' };
  expect(curlOfPage({ method: 'GET', url: `${url}?a=1`, headers, body: null }, token)).toBe(
    `curl -g -X 'GET' '${url}?a=1' \\\n  -H 'accept: */*' \\\n  -H 'X-Empty;' \\\n  -H 'authorization: Bearer t'`,
  );
  const query = { headers: {}, query: [['api key', 'a&b']] as const };
  expect(curlOfPage({ method: 'HEAD', url, headers: {}, body: null }, query)).toBe(
    `curl -g -I '${url}?api%20key=a%26b'`,
  );
  expect(curlOfPage({ method: 'GET', url: `${url}?a=1`, headers: {}, body: null }, query)).toContain(
    `'${url}?a=1&api%20key=a%26b'`,
  );
  const type = { 'Content-Type': 'text/plain' };
  expect(curlOfPage({ method: 'POST', url, headers: type, body: "@it's" }, none)).toBe(
    `curl -g -X 'POST' '${url}' \\\n  -H 'Content-Type: text/plain' \\\n  --data-raw '@it'\\''s'`,
  );
  expect(curlOfPage({ method: 'PUT', url, headers: {}, body: { file: 'a b.png' } }, none)).toContain(
    "--data-binary '@a b.png'",
  );
  const parts = [
    { name: 'text', value: '@a;b' },
    { name: 'photo', value: { file: 'a";type=x.png' } },
  ];
  const multipart = { 'content-type': 'multipart/form-data' };
  expect(curlOfPage({ method: 'POST', url, headers: multipart, body: parts }, none)).toBe(
    `curl -g -X 'POST' '${url}' \\\n  --form-string 'text=@a;b' \\\n  -F 'photo=@"a\\";type=x.png"'`,
  );
});

test('a request with characters that end a paste is not copied', () => {
  const body = 'a\u001b[201~rm -rf';
  expect(() => curlOfPage({ method: 'POST', url, headers: {}, body }, none)).toThrow(NoCredentials);
});

test('keys of the query are not printed', () => {
  const hidden = keyParameters(configuration());
  expect(shownTarget('/me?api+key=secret&page=2&api%20key=a=b', hidden)).toBe(
    '/me?api+key=…&page=2&api%20key=…',
  );
  expect(shownTarget('/me?apikey=1', hidden)).toBe('/me?apikey=1');
  expect(shownTarget('/me', hidden)).toBe('/me');
});
