/**
 * Third parties that misbehave in every way: each case gets its status and message within the deadline, memory use stays flat, and the next
 * request is served. Prints measurements.
 */
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../helpers/free-port.js';
import { ThirdParty } from '../../helpers/third-party.js';
import { tableOf, type Figure } from './figures.js';
import { hostileBehaviours } from './hostile-behaviours.js';
import { hostileCases } from './hostile-cases.js';
import { responseOf, MeasuredService, type MeasuredResponse, type Asking } from './measured-service.js';

/** In milliseconds. The datasource's timeout is one second, and the machine may be busy; a call that is never ended takes longer. */
const deadline = 60 * 1000;
const megabyte = 1024 * 1024;

/** Must never leave the service. */
const secrets = {
  user: 'CANARY-USER',
  password: 'CANARY-PASSWORD',
  key: 'CANARY-KEY',
  query: 'CANARY-QUERY',
};
const credentials = `Basic ${Buffer.from(`${secrets.user}:${secrets.password}`).toString('base64')}`;

const figures: Figure[] = [];
/** The connections on which the third party received requests. */
let used = new Set<Socket>();
let third: ThirdParty;
let calm: ThirdParty;
let other: ThirdParty;
let service: MeasuredService;

beforeAll(async () => {
  other = await ThirdParty.start((_request, response) => response.end('never'));
  calm = await ThirdParty.start(({ url = '' }, response) => {
    // Longer than the four seconds for which idle connections are kept.
    setTimeout(() => response.end('calm'), url.startsWith('/late') ? 5000 : 0);
  });
  const behaviours = hostileBehaviours(other.url);
  third = await ThirdParty.start((request, response, body) => {
    used.add(request.socket);
    const name = /^\/v1\/([\w-]+)|^\/([\w-]+)/.exec(request.url ?? '');
    behaviours[name?.[1] ?? name?.[2] ?? '']?.(request, response, body);
  });
  const address = third.url.slice('http://'.length);
  service = await MeasuredService.start(
    {
      third: `http://${secrets.user}:${secrets.password}@${address}/v1?key=${secrets.query}`,
      closed: `http://localhost:${await freePort()}`,
      calm: calm.url,
    },
    {
      DATASOURCE_THIRD_HEADER_X_API_KEY: secrets.key,
      LOG_LEVEL: 'trace',
      HTTP_PROXY: other.url,
      HTTPS_PROXY: other.url,
      ALL_PROXY: other.url,
      http_proxy: other.url,
      https_proxy: other.url,
      all_proxy: other.url,
    },
  );
  // The first requests load and compile code.
  for (let round = 0; round < 20; round += 1) await service.ask('/read/gzip');
});
afterAll(async () => {
  console.log(tableOf('third parties that go wrong', figures));
  await service.stop();
  for (const party of [third, calm, other]) await party.stop();
});

/** Sends a request, and records measurements. */
async function measured(what: string, path: string, asking?: Asking): Promise<MeasuredResponse> {
  const before = await service.memory();
  const response = await service.ask(path, asking);
  const { peak } = await service.memory();
  const { status, milliseconds } = response;
  const growth = (peak - before.now) / megabyte;
  figures.push({ what, status, expected: responseOf(response), milliseconds, growth });
  expect(milliseconds).toBeLessThan(deadline);
  expect(growth).toBeLessThan(100);
  return response;
}

describe('a response', () => {
  test.each(hostileCases)('%s: %i', async (path, status, expected) => {
    const body = status === 200 ? expected : { message: expected };
    const response = await measured(path.replace('/read/', ''), path);
    // On a busy machine, unpacking can take longer than the time limit.
    if (path === '/read/brotli-bomb' && response.status === 504)
      expect(responseOf(response)).toContain('took too long');
    else expect(response).toMatchObject({ status, body });
    expect(await service.ask('/read/ok')).toMatchObject({ status: 200, body: { fine: true } });
    expect(await service.ask('/calm/x')).toMatchObject({ status: 200, body: 'calm' });
    // The other host was not contacted, neither through a redirect nor through proxy variables of the environment.
    expect([other.connections, other.take()]).toEqual([0, []]);
  });

  test('a redirect loop ends after five', async () => {
    third.take();
    await service.ask('/read/loop');
    expect(third.take()).toHaveLength(6);
  });
});

describe('a redirect within the origin', () => {
  const own = { authorization: credentials, 'x-api-key': secrets.key };

  test.each([
    ['within', '/echo?moved=yes'],
    ['within-308', '/v1/echo'],
    ['within-303', '/echo'],
  ])('%s is followed, with credentials', async (name, url) => {
    const { body } = await measured(name, `/read/${name}`);
    expect(body).toMatchObject({ method: 'GET', url, headers: own, body: '' });
  });

  test('keeps our credentials when it names others', async () => {
    expect((await measured('with-user', '/read/with-user')).body).toMatchObject({ headers: own });
  });

  test.each(['within', 'within-303'])('%s: a POST becomes a GET without body', async (name) => {
    const headers = { 'content-type': 'application/json' };
    const asking = { method: 'POST', headers, body: '{"a":1}' };
    const { body } = await measured(`POST ${name}`, `/update/${name}`, asking);
    expect(body).toMatchObject({ method: 'GET', body: '', headers: own });
    expect(Object.keys((body as { headers: object }).headers)).not.toContain('content-type');
    expect(Object.keys((body as { headers: object }).headers)).not.toContain('content-length');
  });

  test.each(['within-307', 'within-308'])('%s: a multipart body goes with it as it is', async (name) => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const parts = [
      '--b\r\nContent-Disposition: form-data; name="note"\r\n\r\na\nb\r\n',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\nContent-Type: image/png\r\n\r\n\0\xff\r\n',
    ];
    const asking = { method: 'POST', headers, body: Buffer.from(`${parts.join('')}--b--\r\n`, 'latin1') };
    const { body } = await measured(`POST ${name}`, `/upload/${name}`, asking);
    const arrived = body as { body: string; headers: Record<string, string> };
    expect(body).toMatchObject({ method: 'POST', headers: own });
    expect(arrived.headers['content-length']).toBe(String(arrived.body.length));
    const boundary = arrived.headers['content-type']?.split('boundary=')[1] ?? '';
    expect(arrived.body.replaceAll(boundary, 'b')).toBe(`${parts[1] ?? ''}${parts[0] ?? ''}--b--\r\n`);
  });
});

describe('a connection that the other side closes while it is idle', () => {
  /** Responds to the first request on a connection, and resets the connection on the second one. */
  const open = async (path: string): Promise<void> => {
    expect(await service.ask(path, { method: path.startsWith('/update') ? 'POST' : 'GET' })).toMatchObject({
      status: 200,
    });
  };

  test('a READ is asked once more, on another connection', async () => {
    await open('/read/once-a-connection?value=1');
    third.take();
    used = new Set();
    expect(await measured('READ, connection died', '/read/once-a-connection?value=1')).toMatchObject({
      status: 200,
    });
    expect([third.take().length, used.size]).toEqual([2, 2]);
  });

  test('an UPDATE never is', async () => {
    await open('/update/once-a-connection?value=2');
    third.take();
    const path = '/update/once-a-connection?value=2';
    expect(await measured('UPDATE, connection died', path, { method: 'POST' })).toMatchObject({
      status: 502,
      body: { message: 'The third-party API is not reachable' },
    });
    expect(third.take()).toHaveLength(1);
  });

  test('a READ whose response has begun is not retried', async () => {
    await open('/read/half-the-second');
    third.take();
    expect(await measured('READ, half an answer', '/read/half-the-second')).toMatchObject({ status: 502 });
    expect(third.take()).toHaveLength(1);
  });

  test('a READ on a fresh connection is not', async () => {
    await open('/read/bye');
    third.take();
    expect(await measured('READ, fresh one died', '/read/closes-without-answer')).toMatchObject({
      status: 502,
    });
    expect(third.take()).toHaveLength(1);
  });

  test('an unexpected response belongs to no request', async () => {
    await open('/read/one-too-many');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await measured('answer before the question', '/read/ok')).toMatchObject({
      status: 200,
      body: { fine: true },
    });
  });
});

test('fifty calls that hang hold up nobody else', async () => {
  const before = await service.memory();
  const start = performance.now();
  const hanging = Array.from({ length: 50 }, () => service.ask('/read/hangs'));
  const others = await Promise.all(Array.from({ length: 50 }, () => service.ask('/calm/x')));
  const slowest = Math.max(...others.map(({ milliseconds }) => milliseconds));
  expect(others.every(({ status }) => status === 200)).toBe(true);
  const ended = await Promise.all(hanging);
  expect(ended.every(({ status }) => status === 504)).toBe(true);
  const { peak } = await service.memory();
  const growth = (peak - before.now) / megabyte;
  figures.push(
    { what: '50 others, the slowest', status: 200, expected: '"calm"', milliseconds: slowest, growth },
    {
      what: '50 that hang, together',
      status: 504,
      expected: '',
      milliseconds: performance.now() - start,
      growth,
    },
  );
  expect(performance.now() - start).toBeLessThan(deadline);
  expect(growth).toBeLessThan(100);
});

test('no connection is left over from calls that failed', async () => {
  await new Promise((resolve) => setTimeout(resolve, 200));
  // Connections are kept for the next call.
  expect(third.connections).toBeLessThanOrEqual(2);
});

test('a response that takes longer than idle connections are kept is awaited', async () => {
  expect(await service.ask('/calm/late')).toMatchObject({ status: 200, body: 'calm' });
});

test('no log contains a secret, or the content of the third party', () => {
  const { out, errors } = service.process;
  expect(out).toContain('"datasource":"third"');
  expect(`${out}${errors}`).not.toContain('CANARY');
  expect(`${out}${errors}`).not.toContain(credentials.slice('Basic '.length));
});
