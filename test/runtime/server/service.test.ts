/** The service as a process: start, stop, failures. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { RawConnection } from '../raw-http.js';
import { killAll, startProcess, type Started } from '../start-process.js';

afterEach(killAll);

function start(variables: Record<string, string> = {}): Started {
  return startProcess('./service/main.ts', {
    DATASOURCE_MAIN_URL: 'jdbc:x',
    DATASOURCE_MAIN_PASSWORD: 'correct-horse',
    ...variables,
  });
}

describe('the stop', () => {
  test('SIGTERM: the request in flight gets its response, idle connections end, datasources are closed, status 0', async () => {
    const service = start();
    const port = await service.port();
    const idle = new RawConnection(port).write('GET /ok HTTP/1.1\r\nHost: a\r\n\r\n');
    await idle.next();
    const silent = new RawConnection(port);
    const busy = new RawConnection(port).write('GET /until-the-stop HTTP/1.1\r\nHost: a\r\n\r\n');
    await service.until('slow begins');
    service.child.kill('SIGTERM');
    await Promise.all([idle.closed, silent.closed]);
    await expect(fetch(`http://127.0.0.1:${port}/ok`)).rejects.toThrow(TypeError);
    const [response] = await busy.untilClosed();
    expect(response).toMatchObject({ status: 200, body: '"finished"' });
    expect(response?.headers.get('connection')).toBe('close');
    expect(await service.ended).toBe(0);
    expect(service.out).toContain('closed, in time');
  });

  test('SHUTDOWN_DELAY: until it is over new connections are served, and asked to close', async () => {
    const service = start({ SHUTDOWN_DELAY: '2000' });
    const port = await service.port();
    service.child.kill('SIGINT');
    const ask = async () => {
      const connection = new RawConnection(port).write('GET /ok HTTP/1.1\r\nHost: a\r\n\r\n');
      const [response] = await connection.next();
      connection.destroy();
      return [response?.status, response?.headers.get('connection')];
    };
    // The signal may not have been handled yet.
    await expect.poll(ask).toEqual([200, 'close']);
    expect(await service.ended).toBe(0);
  });

  test('SHUTDOWN_TIMEOUT cuts off what takes longer', async () => {
    const service = start({ SHUTDOWN_TIMEOUT: '200' });
    const busy = new RawConnection(await service.port()).write('GET /slow/60000 HTTP/1.1\r\nHost: a\r\n\r\n');
    await service.until('slow begins');
    service.child.kill('SIGTERM');
    expect(await busy.untilClosed()).toEqual([]);
    expect(await service.ended).toBe(0);
    expect(service.out).toContain('cut off');
  });

  test('a datasource that does not close keeps nobody waiting for long', async () => {
    const service = start({ STUCK: 'true' });
    await service.port();
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(service.out).toContain('did not close in time');
  });

  test('a second signal ends it immediately', async () => {
    const service = start();
    const port = await service.port();
    const busy = new RawConnection(port).write('GET /slow/60000 HTTP/1.1\r\nHost: a\r\n\r\n');
    await service.until('slow begins');
    const idle = new RawConnection(port).write('GET /ok HTTP/1.1\r\nHost: a\r\n\r\n');
    await idle.next();
    service.child.kill('SIGTERM');
    await idle.closed;
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(1);
    await busy.closed;
  });

  test('a rejection that nobody handles: logged, drained, status 1', async () => {
    const service = start();
    const port = await service.port();
    const busy = new RawConnection(port).write('GET /slow/300 HTTP/1.1\r\nHost: a\r\n\r\n');
    await service.until('slow begins');
    await fetch(`http://127.0.0.1:${port}/unhandled`);
    expect(await busy.untilClosed()).toMatchObject([{ status: 200 }]);
    expect(await service.ended).toBe(1);
    expect(service.out).toContain('"level":"fatal"');
    expect(service.out).toContain('main.ts:');
    expect(service.out).not.toContain('nobody waits');
  });
});

test('a module of an operation that cannot be loaded ends the service, whether it is asked for or not', async () => {
  const service = start({ BROKEN_AFTER: '300' });
  const port = await service.port();
  // Other requests are served until then.
  expect((await fetch(`http://127.0.0.1:${port}/ok`)).status).toBe(200);
  expect(await service.ended).toBe(1);
  expect(service.out).toContain('"level":"fatal"');
  expect(service.errors).toContain('Error: a module that cannot be loaded\n    at ');
});

describe('the log', () => {
  test('a failure is logged under the request id of its response, without any secret', async () => {
    const service = start({ LICENCE: 'ABCD-EFGH-1234' });
    const response = await fetch(`http://127.0.0.1:${await service.port()}/failure`);
    expect(await response.text()).toBe('{"message":"Internal server error"}');
    await service.until('request failed');
    const entries = service.out.split('\n').filter((line) => line.startsWith('{'));
    const entry = JSON.parse(entries.at(-1) ?? '') as unknown;
    expect(entry).toMatchObject({
      level: 'error',
      requestId: response.headers.get('x-request-id'),
      operation: 'GET /failure',
      status: 500,
      fulfillment: 'news',
      note: '***',
      error: { type: 'Error', code: 'ECONNREFUSED' },
    });
    expect(service.out).not.toContain('correct-horse');
    expect(service.out).toContain('"licence":"****1234"');
    expect(service.out).toContain('the option x is ignored');
  });

  test('what a constraint refuses is logged at level info, other errors of the caller are not', async () => {
    const service = start();
    const port = await service.port();
    for (const kind of ['silent', 'told']) await fetch(`http://127.0.0.1:${port}/refused/${kind}`);
    await service.until('request failed');
    const entries = service.out.split('\n').filter((line) => line.includes('request failed'));
    expect(entries.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 'info', operation: 'GET /refused/{kind}', status: 409, kind: '"told"', table: 'news' },
    ]);
  });

  test('LOG_LEVEL=debug logs every request, info does not', async () => {
    const [debug, info] = [start({ LOG_LEVEL: 'debug' }), start()];
    for (const service of [debug, info]) {
      await fetch(`http://127.0.0.1:${await service.port()}/ok`);
      service.child.kill('SIGTERM');
      await service.ended;
    }
    expect(debug.out).toMatch(
      /"operation":"GET \/ok","status":200,"ended":"whole","milliseconds":[\d.]+,"msg":"request"/,
    );
    expect(info.out).not.toContain('"msg":"request"');
  });
});

describe('what keeps it from starting is a sentence and status 1', () => {
  async function refusal(variables: Record<string, string>): Promise<string> {
    const service = start(variables);
    expect(await service.ended).toBe(1);
    expect(service.out).not.toContain('listening');
    return service.errors;
  }

  test('a port in use', async () => {
    const other = createServer().listen(0);
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await refusal({ PORT: String(port) })).toBe(
      `The port ${port} is in use already: stop the other program, or set PORT to another port\n`,
    );
    other.close();
  });

  test('an address of another machine', async () => {
    expect(await refusal({ HOST: '192.0.2.1' })).toBe(
      'HOST is 192.0.2.1, which is not an address of this machine\n',
    );
  });

  test('settings and .env', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'));
    writeFileSync(join(folder, '.env'), 'DATASOURCE_MAIN_USER=${NOBODY}\nPORT=5\n');
    const errors = await refusal({ ENV_FILE: pathToFileURL(join(folder, '.env')).href, PORT: 'abc' });
    rmSync(folder, { recursive: true });
    expect(errors.split('\n').sort()).toEqual([
      '',
      'PORT must be a whole number from 0 to 65535, not "abc"',
      'The environment variable NOBODY is not set; DATASOURCE_MAIN_USER, the field user of the datasource main, refers to it',
    ]);
  });

  test('a datasource that cannot be opened', async () => {
    expect(await refusal({ DATASOURCE_MAIN_URL: 'mysql://x' })).toBe(
      'datasource main: the url is not a JDBC URL\n',
    );
  });
});

test.each(['info', 'silent'])(
  'LOG_FORMAT=json: every line is JSON, the first too, with LOG_LEVEL=%s',
  async (level) => {
    const service = start({ LOG_FORMAT: 'json', LOG_LEVEL: level });
    const port = await service.port();
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    const entries = service.out
      .trim()
      .split('\n')
      // Excludes output printed by the test service itself.
      .filter((line) => line !== 'closed, in time')
      .map((line) => JSON.parse(line) as unknown);
    expect(entries).toContainEqual(expect.objectContaining({ msg: `listening on http://localhost:${port}` }));
  },
);

test('a missing .env is not an error; an address of IPv6 is printed as browsers take it', async () => {
  const service = start({ ENV_FILE: 'file:///nowhere/at/all/.env', HOST: '::1' });
  await service.until('listening on ');
  await expect.poll(() => service.out).toMatch(/^listening on http:\/\/\[::1\]:\d+$/m);
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(0);
});
