/** OAuth 2 tokens: when a token is requested, how many requests share it, where it is sent, and what happens without one. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { noteChange, type Call } from '../../../runtime/handler/call.js';
import { oauth2, type OAuth2Options } from '../../../runtime/rest/oauth2.js';
import { orFailure } from '../../../runtime/rest/or-failure.js';
import { rest, type RestDatasource, type RestDefinition } from '../../../runtime/rest/rest.js';
import { retry } from '../../../runtime/rest/retry.js';
import { Environment } from '../../../runtime/server/environment.js';
import { testCall } from '../../helpers/test-call.js';
import { ThirdParty, type Behaviour } from '../../helpers/third-party.js';

let api: ThirdParty;
let tokenServer: ThirdParty;
let onRequest: Behaviour;
let onToken: Behaviour;
const opened: RestDatasource[] = [];
beforeAll(async () => {
  api = await ThirdParty.start((...asked) => {
    onRequest(...asked);
  });
  tokenServer = await ThirdParty.start((...asked) => {
    onToken(...asked);
  });
});
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onRequest = (_request, response) => response.end();
  onToken = tokens();
});
afterEach(() => {
  vi.useRealTimers();
  for (const datasource of opened.splice(0)) datasource.close();
  api.take();
  tokenServer.take();
});
afterAll(() => Promise.all([api.stop(), tokenServer.stop()]));

const json =
  (body: unknown, status = 200): Behaviour =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** `token-1`, `token-2` … */
function tokens(life: unknown = 100): Behaviour {
  let count = 0;
  return (...asked) => {
    count += 1;
    json({ access_token: `token-${count}`, expires_in: life, token_type: 'bearer' })(...asked);
  };
}

function datasource(options: OAuth2Options = {}, more: Partial<RestDefinition> = {}): RestDatasource {
  const made = rest({ name: 'api', oauth2: oauth2(options), ...more });
  const environment = new Environment(
    {
      DATASOURCE_API_OAUTH2_TOKEN_URL: `${tokenServer.url}/token?tenant=1`,
      DATASOURCE_API_OAUTH2_CLIENT_ID: 'shop: 1',
      DATASOURCE_API_OAUTH2_CLIENT_SECRET: 's€cret+',
      DATASOURCE_API_OAUTH2_SCOPE: 'orders prices',
      DATASOURCE_API_OAUTH2_PARAMETERS_AUDIENCE: 'https://api.example.com',
    },
    '',
  );
  made.readSettings(environment);
  expect(environment.problems).toEqual([]);
  made.open({ url: `${api.url}/v1`, responseLimit: 1000 });
  opened.push(made);
  return made;
}

const definition = { operation: 'test', fulfillment: 'x', method: 'GET' };

function ask(
  of: RestDatasource,
  { url = '/', method = 'GET', call = testCall() }: { url?: string | URL; method?: string; call?: Call } = {},
): Promise<number> {
  const request = of.requestWithStatus({ ...definition, method });
  const sent = request(call, { url, ...(method === 'GET' ? {} : { body: { n: 1 } }) });
  return sent.then(
    ({ status }) => status,
    (error: unknown) => {
      if (error instanceof ServiceError) return -error.status;
      throw error;
    },
  );
}

function authorizations(): (string | undefined)[] {
  return api.take().map(({ headers }) => headers.authorization);
}

test('one request for a token serves all calls, until 90 % of its life', async () => {
  const of = datasource({ hasScope: true, parameters: ['audience'] });
  expect(await Promise.all([ask(of), ask(of), ask(of)])).toEqual([200, 200, 200]);
  expect(authorizations()).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-1']);
  const [asked, ...others] = tokenServer.take();
  expect(others).toEqual([]);
  expect(asked?.request).toBe('POST /token?tenant=1');
  expect(asked?.body).toBe(
    'grant_type=client_credentials&scope=orders+prices&audience=https%3A%2F%2Fapi.example.com',
  );
  // User and password are form-encoded (RFC 6749, section 2.3.1).
  const account = Buffer.from('shop%3A+1:s%E2%82%ACcret%2B').toString('base64');
  expect(asked?.headers.authorization).toBe(`Basic ${account}`);

  vi.advanceTimersByTime(89_000);
  await ask(of);
  expect(tokenServer.take()).toEqual([]);
  vi.advanceTimersByTime(2_000);
  await Promise.all([ask(of), ask(of)]);
  expect(tokenServer.take()).toHaveLength(1);
  expect(authorizations()).toEqual(['Bearer token-1', 'Bearer token-2', 'Bearer token-2']);
});

test('with clientAuth: body the account is part of the form', async () => {
  await ask(datasource({ clientAuth: 'body' }));
  const [asked] = tokenServer.take();
  expect(asked?.body).toBe(
    'grant_type=client_credentials&client_id=shop%3A+1&client_secret=s%E2%82%ACcret%2B',
  );
  expect(asked?.headers.authorization).toBeUndefined();
});

test('a token without a life is kept, and one of 0 seconds is for one request', async () => {
  onToken = tokens(null);
  const endless = datasource();
  await ask(endless);
  vi.advanceTimersByTime(1e9);
  await ask(endless);
  expect(tokenServer.take()).toHaveLength(1);
  onToken = tokens('0');
  const short = datasource();
  await ask(short);
  await ask(short);
  expect(tokenServer.take()).toHaveLength(2);
});

test('after a 401 there is one renewal and one more request, also of a POST; a second 401 is the result', async () => {
  const of = datasource();
  onRequest = ({ headers }, response) =>
    response.writeHead(headers.authorization === 'Bearer token-1' ? 401 : 201).end();
  expect(await Promise.all([ask(of, { method: 'POST' }), ask(of, { method: 'POST' })])).toEqual([201, 201]);
  expect(tokenServer.take()).toHaveLength(2);
  expect(authorizations().sort()).toEqual([
    ...['Bearer token-1', 'Bearer token-1', 'Bearer token-2', 'Bearer token-2'],
  ]);
  onRequest = (_request, response) => response.writeHead(401).end();
  expect(await ask(of)).toBe(401);
  expect(authorizations()).toEqual(['Bearer token-2', 'Bearer token-3']);
});

test('a failed request for a token is 503 for all, and is not repeated for 5 s', async () => {
  onToken = json({ error: 'invalid_client', secret: 'geheim' }, 401);
  const of = datasource();
  expect(await Promise.all([ask(of), ask(of)])).toEqual([-503, -503]);
  vi.advanceTimersByTime(4_900);
  const [error] = await Promise.allSettled([of.request(definition)(testCall(), { url: '/' })]);
  expect(error).toMatchObject({
    reason: {
      status: 503,
      details: {
        retryAfter: 1,
        log: {
          datasource: 'api',
          reason: 'the token server of the third-party API gives no token: status 401, invalid_client',
        },
      },
    },
  });
  expect(tokenServer.take()).toHaveLength(1);
  onToken = tokens();
  vi.advanceTimersByTime(200);
  expect(await ask(of)).toBe(200);
  expect(tokenServer.take()).toHaveLength(1);
});

test.each([
  ['a redirect', (_request, response) => response.writeHead(302, { location: '/other' }).end(), 'unreadable'],
  ['a response that is no HTTP', (_request, response) => response.socket?.end('hello\r\n\r\n'), 'unreadable'],
  ['a large response', (_request, response) => response.end(' '.repeat(2 ** 20 + 1)), 'unreadable'],
  ['a lost connection', (_request, response) => response.destroy(), 'unreachable'],
  ['a status that passes', json({}, 500), 'unreachable'],
  ['no token', json({ token_type: 'bearer' }), 'unreadable'],
  ['a token that would be another header', json({ access_token: 'a\r\nX-A: 1' }), 'unreadable'],
  ['text', (_request, response) => response.end('<html>'), 'unreadable'],
] satisfies [string, Behaviour, string][])(
  '%s is a failure that an operation can go on after',
  async (_, behaviour, failure) => {
    onToken = behaviour;
    const of = datasource();
    const request = orFailure(of.requestWithStatus(definition));
    expect(await request(testCall(), { url: '/' })).toMatchObject({ status: null, body: null, failure });
    expect(tokenServer.take()).toHaveLength(1);
    expect(api.take()).toEqual([]);
  },
);

test('in the last part of its life a token serves where the token server fails', async () => {
  const of = datasource();
  await ask(of);
  onToken = json({}, 503);
  vi.advanceTimersByTime(95_000);
  expect(await ask(of)).toBe(200);
  vi.advanceTimersByTime(6_000);
  expect(await ask(of)).toBe(-503);
  expect(authorizations()).toEqual(['Bearer token-1', 'Bearer token-1']);
});

test('nothing of a change is sent without a token, so the caller may try again', async () => {
  onToken = json({}, 503);
  const of = datasource({}, { retry: retry({ times: 2, maxWait: 1 }) });
  const call = testCall();
  const error = await of
    .request({ ...definition, method: 'POST' })(call, { url: '/', body: 1 })
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ status: 503, details: { retryAfter: 5 } });
  noteChange(call);
  expect(await ask(of, { call })).toBe(-502);
});

test('the token goes to the origin of the url only, and a header of the request wins', async () => {
  const of = datasource();
  const other = await ThirdParty.start((_request, response) => response.end());
  await ask(of, { url: new URL(`${other.url}/a`) });
  await ask(of, { url: `${other.url}/b` });
  expect(other.take().map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  await ask(of, { url: new URL(`${api.url}/next`) });
  await of.requestWithStatus(definition)(testCall(), { url: '/', header: { authorization: 'Basic x' } });
  expect(authorizations()).toEqual(['Bearer token-1', 'Basic x']);
  // A redirect to another origin is an error; the token is only sent along within the origin.
  onRequest = ({ url }, response) =>
    response.writeHead(url === '/v1/a' ? 302 : 200, { location: url === '/v1/a' ? '/v1/b' : '' }).end();
  expect(await ask(of, { url: '/a' })).toBe(200);
  expect(authorizations()).toEqual(['Bearer token-1', 'Bearer token-1']);
  onRequest = (_request, response) => response.writeHead(302, { location: `${other.url}/c` }).end();
  expect(await ask(of)).toBe(-502);
  expect(other.take()).toEqual([]);
  await other.stop();
});

test('a call ends in time while others wait for the token', async () => {
  vi.useRealTimers();
  const arrived = new Promise<() => void>((resolve) => {
    onToken = (...asked) => {
      resolve(() => {
        tokens()(...asked);
      });
    };
  });
  const of = datasource();
  const patient = ask(of);
  expect(await ask(of, { call: testCall(20) })).toBe(-504);
  const respond = await arrived;
  respond();
  expect(await patient).toBe(200);
  expect(tokenServer.take()).toHaveLength(1);
});

test('settings that are missing or send the secret over an open network stop the start', () => {
  const environment = new Environment(
    {
      DATASOURCE_API_OAUTH2_TOKEN_URL: 'http://id.example.com/token',
      DATASOURCE_API_OAUTH2_CLIENT_SECRET: 'geheim',
      DATASOURCE_API_OAUTH2_SCOPE: '',
    },
    '',
  );
  oauth2({ hasScope: true }).readSettings('api', environment);
  expect(environment.problems).toEqual([
    'DATASOURCE_API_OAUTH2_TOKEN_URL must begin with https: it receives the secret of the client: it is the field oauth2.tokenUrl of the datasource api',
    'DATASOURCE_API_OAUTH2_CLIENT_ID is not set: it is the field oauth2.clientId of the datasource api',
    'DATASOURCE_API_OAUTH2_SCOPE is not set: it is the field oauth2.scope of the datasource api',
  ]);
  expect(environment.secrets).toEqual(['geheim']);
});
