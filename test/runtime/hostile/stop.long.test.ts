/** Keep-alive clients that POST without a pause lose no request during a stop. STOPS=20 is the long form. */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { killAll, startProcess } from '../start-process.js';

afterEach(killAll);

const stops = Number(process.env.STOPS ?? 4);
const clients = 16;

interface Figures {
  completed: number;
  /** Requests sent on an open connection that was closed without a response. */
  lost: number;
}

/**
 * A single connection: sends a request after each response, until the connection ends or must be closed. False if the port refuses
 * connections.
 */
function busyConnection(port: number, pause: number, figures: Figures): Promise<boolean> {
  const body = '{"a":1}';
  const request = `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  return new Promise((resolve) => {
    let isConnected = false;
    let text: string | undefined;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const next = (): void => {
      if (socket.destroyed) return;
      text = '';
      socket.write(request);
    };
    socket.on('error', () => undefined);
    socket.on('connect', () => {
      isConnected = true;
      next();
    });
    socket.on('data', (chunk: Buffer) => {
      text = (text ?? '') + chunk.toString();
      if (!text.endsWith(body)) return;
      const isLast = /^connection: close\r$/im.test(text);
      figures.completed += 1;
      text = undefined;
      if (isLast) socket.destroy();
      else if (pause > 0) setTimeout(next, Math.random() * pause);
      else next();
    });
    socket.on('close', () => {
      if (text !== undefined) figures.lost += 1;
      resolve(isConnected);
    });
  });
}

/** Reconnects whenever a connection must be closed, until the port refuses connections. */
async function client(port: number, pause: number, figures: Figures): Promise<void> {
  while (await busyConnection(port, pause, figures));
}

test.each([
  ['without a pause', 0, {}],
  ['with pauses', 20, {}],
  ['with several processes', 0, { WORKERS: '2' }],
])('nothing is lost: clients %s', { timeout: 60_000 + stops * 8000 }, async (_what, pause, variables) => {
  const figures: Figures = { completed: 0, lost: 0 };
  for (let round = 0; round < stops; round += 1) {
    const service = startProcess('./hostile/main.ts', variables);
    const port = await service.port();
    const running = Array.from({ length: clients }, () => client(port, pause, figures));
    await delay(300 + Math.random() * 50);
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    await Promise.all(running);
  }
  if (stops > 4) console.log(_what, figures);
  expect(figures.lost).toBe(0);
  expect(figures.completed).toBeGreaterThan(stops);
});

/** Uses a new connection for each request until the port refuses connections. */
async function newcomer(port: number, figures: Figures): Promise<void> {
  for (let isConnected = true; isConnected;) {
    isConnected = await new Promise((resolve) => {
      let state: 'refused' | 'connected' | 'answered' = 'refused';
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
        .on('error', () => undefined)
        .on('connect', () => {
          state = 'connected';
          socket.write('GET /ok HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
        })
        .on('data', () => (state = 'answered'))
        .on('close', () => {
          if (state === 'answered') figures.completed += 1;
          else if (state === 'connected') figures.lost += 1;
          resolve(state !== 'refused');
        });
    });
    await delay(Math.random() * 3);
  }
}

/** A keep-alive connection whose requests each block the process for four milliseconds, until it must be closed. */
async function burden(port: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const next = () => socket.write('GET /stuck/4 HTTP/1.1\r\nHost: a\r\n\r\n');
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      .on('error', () => undefined)
      .on('connect', next)
      .on('data', (chunk: Buffer) => {
        if (!chunk.includes('Connection: close')) next();
      })
      .on('close', () => {
        resolve();
      });
  });
}

test('a busy process accepts earlier clients before it stops listening', async () => {
  const figures: Figures = { completed: 0, lost: 0 };
  for (let round = 0; round < stops; round += 1) {
    const service = startProcess('./hostile/main.ts', {});
    const port = await service.port();
    const running = [
      ...Array.from({ length: clients }, () => newcomer(port, figures)),
      ...Array.from({ length: 4 }, () => burden(port)),
    ];
    await delay(300 + Math.random() * 50);
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    await Promise.all(running);
  }
  if (stops > 4) console.log('newcomers', figures);
  // The kernel can accept a connection between the last check and the close of the socket; without draining, whole queues would be lost.
  expect(figures.lost).toBeLessThanOrEqual(stops);
  expect(figures.completed).toBeGreaterThan(stops);
});

test('connections that wait in the primary process for busy workers get responses', async () => {
  const service = startProcess('./hostile/main.ts', { WORKERS: '2' });
  const url = `http://127.0.0.1:${await service.port()}`;
  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(url + path, { headers: { connection: 'close' } });
    return response.json();
  };
  const busy = [get('/stuck/1000'), get('/stuck/1000')];
  await delay(300);
  const waiting = Array.from({ length: 64 }, () => get('/ok'));
  await delay(300);
  service.child.kill('SIGTERM');
  expect(new Set(await Promise.all(busy)).size).toBe(2);
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => 'ok'));
  expect(await service.ended).toBe(0);
});
