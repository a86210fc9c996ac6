/** A stop loses no request of keep-alive clients that POST without a pause. STOPS=20 is the long form. */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { killAll, startProcess } from '../start-process.js';

afterEach(killAll);

const stops = Number(process.env.STOPS ?? 4);
const clients = 16;

interface Figures {
  answered: number;
  /** Written on an open connection that ended without an answer. */
  lost: number;
}

/** One connection: a request as soon as the last one was answered, until it ends or is told to. False when nobody listens. */
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
      figures.answered += 1;
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

/** Comes again where it is told to leave, until nobody listens. */
async function client(port: number, pause: number, figures: Figures): Promise<void> {
  while (await busyConnection(port, pause, figures));
}

test.each([
  ['without a pause', 0, {}],
  ['with pauses', 20, {}],
  ['with several processes', 0, { WORKERS: '2' }],
])('nothing is lost: clients %s', { timeout: 60_000 + stops * 8000 }, async (_what, pause, variables) => {
  const figures: Figures = { answered: 0, lost: 0 };
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
  expect(figures.answered).toBeGreaterThan(stops * clients);
});
