/** Connections that are reset or closed in every state of a request: the process survives, and no connection stays open forever. */
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { RawConnection } from '../raw-http.js';
import { killAll, startProcess, type Started } from '../start-process.js';

const host = 'Host: a\r\n';
const json = `${host}Content-Type: application/json\r\n`;

/** The bytes sent by a client before it leaves, which determine the state of the connection. */
const states: Readonly<Record<string, string>> = {
  'nothing sent': '',
  'half a request line': 'GET /o',
  'half a head': `GET /ok HTTP/1.1\r\n${host}X: `,
  'no HTTP at all': '\u0016\u0003\u0001\u0002\u0000\u0001',
  'TLS, then a request': `\u0016\u0003\u0001GET /ok HTTP/1.1\r\n${host}\r\n`,
  'a head that is too large': `GET /ok HTTP/1.1\r\n${host}X: ${'x'.repeat(40_000)}\r\n\r\n`,
  'a request that was answered': `GET /ok HTTP/1.1\r\n${host}\r\n`,
  'a request in flight': `GET /slow/300 HTTP/1.1\r\n${host}\r\n`,
  'a large answer under way': `GET /large HTTP/1.1\r\n${host}\r\n`,
  'a hundred requests in flight': `GET /slow/300 HTTP/1.1\r\n${host}\r\n`.repeat(100),
  'half a body': `POST /echo HTTP/1.1\r\n${json}Content-Length: 100\r\n\r\n{"a"`,
  'half a chunk': `POST /echo HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n20\r\n{"a"`,
  'a chunk that is none': `POST /echo HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
  'a body that waits to be asked for': `POST /echo HTTP/1.1\r\n${json}Content-Length: 9\r\nExpect: 100-continue\r\n\r\n`,
  'an expectation that nobody knows': `POST /echo HTTP/1.1\r\n${json}Content-Length: 9\r\nExpect: tea\r\n\r\n`,
  'a body that is too large': `POST /echo HTTP/1.1\r\n${json}Content-Length: 9999999\r\n\r\n{`,
  'half an upload': `POST /upload HTTP/1.1\r\n${host}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 500\r\n\r\n--b\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\nxxx`,
  'a body that nobody reads': `POST /nowhere HTTP/1.1\r\n${json}Content-Length: 100\r\n\r\n{"a"`,
  CONNECT: `CONNECT x:1 HTTP/1.1\r\n${host}\r\n`,
  'CONNECT, followed by bytes': `CONNECT x:1 HTTP/1.1\r\n${host}\r\n${'\u0016'.repeat(500)}`,
  'CONNECT after a request in flight': `GET /slow/300 HTTP/1.1\r\n${host}\r\nCONNECT x:1 HTTP/1.1\r\n${host}\r\n`,
  'CONNECT with a body': `CONNECT x:1 HTTP/1.1\r\n${host}Content-Length: 10\r\n\r\nabc`,
  'an upgrade': `GET /ok HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  'an upgrade in flight': `GET /slow/300 HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'garbage after a request in flight': `GET /slow/300 HTTP/1.1\r\n${host}\r\n\u0000\u0001\u0002\r\n\r\n`,
};

/** The way in which the client leaves. */
const ends: Readonly<Record<string, (socket: Socket) => void>> = {
  'reset immediately': (socket) => socket.resetAndDestroy(),
  'closed immediately': (socket) => socket.destroy(),
  'half-closed': (socket) => socket.end(),
};

let service: Started;
let port: number;
let management: number;

beforeEach(async () => {
  service = startProcess('./hostile/main.ts', {
    MANAGEMENT_PORT: '0',
    SEND_TIMEOUT: '1000',
    LOG_REQUESTS: 'on',
  });
  port = await service.port();
  await service.until('management listens');
  management = Number(service.log.find(({ msg }) => msg === 'management listens')?.port);
});
afterEach(killAll);
afterAll(killAll);

/** Leaves after `after` milliseconds: before the service has received anything, or after it has responded without being read. */
async function leave(to: number, text: string, end: (socket: Socket) => void, after: number): Promise<void> {
  const socket = connect(to, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text, 'latin1');
  await delay(after);
  end(socket);
  await delay(200);
  socket.destroy();
}

async function isThere(): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/ok`).catch(() => undefined);
  return response?.status === 200;
}

/** Connections held by the process: its sockets except listening ones, and its pipes. */
function heldSockets(): number {
  const folder = `/proc/${service.child.pid ?? 0}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
}

test('the process continues, holds nothing, and ends with 0', async () => {
  const before = heldSockets();
  const gone: string[] = [];
  for (const [state, text] of Object.entries(states)) {
    await Promise.all(
      Object.values(ends).flatMap((end) => [
        ...[0, 5, 60, 320].map((after) => leave(port, text, end, after)),
        leave(management, text, end, 60),
      ]),
    );
    if (!(await isThere())) {
      gone.push(state);
      break;
    }
  }
  expect(gone).toEqual([]);
  expect(service.log.filter(({ level }) => level === 'fatal' || level === 'error')).toEqual([]);
  // `fetch` keeps its connections; those of the attacks end within the limits of the service.
  for (let left = 200; left > 0 && heldSockets() > before + 2; left -= 1) await delay(100);
  expect(heldSockets()).toBeLessThanOrEqual(before + 2);
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(0);
});

/** Waits until the log contains `count` refusals. */
async function refusals(count: number): Promise<Record<string, unknown>[]> {
  for (;;) {
    const found = service.log.filter(({ msg }) => msg === 'request refused');
    if (found.length >= count) return found;
    await delay(10);
  }
}

test('a client that sent CONNECT and stays gets a response, and is closed', async () => {
  const before = heldSockets();
  const [response, ...others] = await new RawConnection(port)
    .write(`CONNECT x:1 HTTP/1.1\r\n${host}\r\n`)
    .untilClosed();
  expect(others).toEqual([]);
  expect(response).toMatchObject({ status: 405, body: '{"message":"Method Not Allowed"}' });
  expect(response?.headers.get('allow')).toBe('GET');
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.write(`CONNECT x:1 HTTP/1.1\r\n${host}\r\n`);
  // The client neither reads nor closes the connection.
  await once(socket, 'connect');
  // A client is connected before the service accepts the connection; the refusal in the log shows that it has been accepted.
  await refusals(2);
  while (heldSockets() > before) await delay(20);
  socket.destroy();
});

test('what is refused before it is a request is counted and logged', async () => {
  await new RawConnection(port).write('\u0000\r\n\r\n').untilClosed();
  await new RawConnection(port).write(`CONNECT x:1 HTTP/1.1\r\n${host}\r\n`).untilClosed();
  const text = await (await fetch(`http://127.0.0.1:${management}/metrics`)).text();
  expect(text).toContain('http_requests_total{operation="none",status="400",ended="whole"} 1\n');
  expect(text).toContain('http_requests_total{operation="none",status="405",ended="whole"} 1\n');
  expect(await refusals(2)).toMatchObject([
    { level: 'info', status: 400, reason: 'HPE_INVALID_METHOD' },
    { level: 'info', status: 405, reason: 'CONNECT' },
  ]);
});

test('a response that nobody reads is abandoned', async () => {
  const before = heldSockets();
  const sockets = Array.from({ length: 10 }, () => {
    const socket = connect(port, '127.0.0.1')
      .on('error', () => undefined)
      .pause();
    socket.write(`GET /large HTTP/1.1\r\n${host}\r\n`);
    return socket;
  });
  // Half of the clients send a byte now and then, which does not count as reading.
  const drip = setInterval(() => {
    for (const socket of sockets.slice(5)) if (!socket.destroyed) socket.write('G');
  }, 300);
  while (heldSockets() < before + 10) await delay(5);
  while (heldSockets() > before) await delay(50);
  expect(heldSockets()).toBeLessThanOrEqual(before);
  clearInterval(drip);
  for (const socket of sockets) socket.destroy();
});

test('it is abandoned after SEND_TIMEOUT, and not after twice that time; slow readers get all of it', async () => {
  const timed = startProcess('./hostile/main.ts', { SEND_TIMEOUT: '1000', OWN_TIME: 'on' });
  const own = await timed.port();
  const silent = connect(own, '127.0.0.1')
    .on('error', () => undefined)
    .pause();
  silent.write(`GET /large HTTP/1.1\r\n${host}\r\n`);
  await timed.until('"connection closed"');
  silent.destroy();
  const { after } = timed.log.find(({ msg }) => msg === 'connection closed') ?? {};
  // Milliseconds counted by the process, unaffected by a busy machine.
  expect(after).toBeGreaterThanOrEqual(1000);
  expect(after).toBeLessThan(1500);
  // The reader is in the same process, so both are slowed down equally.
  const response = await fetch(`http://127.0.0.1:${own}/read-slowly/${own}`);
  expect(await response.json()).toBeGreaterThan(90_000 * 80);
});
