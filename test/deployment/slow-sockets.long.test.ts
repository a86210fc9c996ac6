/** 500 clients that send heads and bodies byte by byte, while other clients are served. */
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RunningService } from '../helpers/running-service.js';
import { ask, buildEntries, prepare, sharedServer } from '../service/services.js';

let service: RunningService;

beforeAll(async () => {
  const folder = (await buildEntries('slow-sockets')).get('postgresql') ?? '';
  const variables = await prepare(await sharedServer.postgresql(), 'postgresql', 'deployment_slow');
  service = await RunningService.start(folder, { ...variables, REQUEST_TIMEOUT: '4000' });
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

/** Sends the text at a byte every 100 ms, and returns the received bytes after the service has closed the connection. */
class Dripping {
  readonly opened: Promise<void>;
  readonly closed: Promise<string>;
  private readonly socket: Socket;
  private received = '';

  constructor(port: number, begin: string, drip: string) {
    this.socket = connect(port, '127.0.0.1');
    this.opened = new Promise((resolve, reject) => {
      this.socket.once('connect', resolve).once('error', reject);
    });
    this.socket.write(begin);
    const timer = setInterval(() => this.socket.write(drip), 100);
    this.socket.on('data', (chunk: Buffer) => (this.received += chunk.toString('latin1')));
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      this.socket.once('close', () => {
        clearInterval(timer);
        resolve(this.received);
      });
    });
  }
}

describe('500 slow sockets', () => {
  test('do not delay other responses, and are closed with 408', async () => {
    const port = Number(new URL(service.url).port);
    const body =
      'POST /entries HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"tag": "';
    const slow = Array.from({ length: 500 }, (_, index) =>
      index % 2 === 0
        ? new Dripping(port, 'GET /echo/1 HTTP/1.1\r\nHost: a\r\nX-Slow: ', 'x')
        : new Dripping(port, body, 'x'),
    );
    await Promise.all(slow.map(({ opened }) => opened));
    let isOver = false;
    const closed = Promise.all(slow.map(({ closed }) => closed)).finally(() => (isOver = true));
    const statuses = new Map<number, number>();
    const clients = Array.from({ length: 10 }, async (_, client) => {
      for (let index = 0; !isOver; index += 1) {
        const { status } = await ask(service.url, 'GET', `/echo/${client}-${index}`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    const responses = await closed;
    await Promise.all(clients);
    console.log(
      `500 slow sockets: ${statuses.get(200) ?? 0} requests of others answered, ${[...statuses].filter(([status]) => status !== 200).length} failed`,
    );
    expect([...statuses.keys()]).toEqual([200]);
    expect(statuses.get(200)).toBeGreaterThan(10);
    expect(new Set(responses.map((text) => text.slice(0, 12)))).toEqual(new Set(['HTTP/1.1 408']));
    expect((await ask(service.url, 'GET', '/entries/none')).status).toBe(404);
  });
});
