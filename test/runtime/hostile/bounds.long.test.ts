/** Limits of everything kept for requests, one test each: unread responses, log entries, indexed results. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { IndexedResults } from '../../../runtime/loops/indexed-results.js';
import { mapInTurns } from '../../../runtime/loops/in-turns.js';
import type { Json } from '../../../runtime/handler/json.js';
import { reply } from '../../../runtime/responses/reply.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { testCall } from '../../helpers/test-call.js';
import { serve } from '../serve.js';

const mebibyte = 1024 * 1024;

/** A log that records its lines. */
function recordedLog() {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { log: pino({ base: null, level: 'debug' }, stream), lines };
}

test('responses that nobody reads: 256 MiB, then 503, and those that wait longest go', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const text = 'x'.repeat(60 * mebibyte);
  const { log, lines } = recordedLog();
  const operations = { 'GET /large': () => reply(200, text), 'GET /small': () => reply(200, 'small') };
  const served = await serve(operations, { log });
  const ask = async (path: string) => {
    const response = await fetch(served.url + path);
    const { length } = await response.text();
    return { status: response.status, length, retryAfter: response.headers.get('retry-after') };
  };
  const answered = { status: 200, length: text.length + 2, retryAfter: null };
  /** Sends a request, but reads only the beginning of the response. */
  const askSilently = async (): Promise<Socket> => {
    const socket = connect(served.port, '127.0.0.1').on('error', () => undefined);
    socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'readable');
    return socket;
  };
  const silent = [await askSilently(), await askSilently(), await askSilently(), await askSilently()];
  // The memory suffices for four responses, but not for five.
  expect(await ask('/large')).toMatchObject({ status: 503, retryAfter: '2' });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
    expect.objectContaining({ status: 503, reason: expect.stringMatching(/ bytes wait/) as string }),
  );
  expect((await ask('/small')).status).toBe(200);

  // An abandoned response frees memory.
  silent.pop()?.destroy();
  await expect.poll(() => ask('/large')).toEqual(answered);

  // After two seconds, the client that has waited longest is disconnected.
  silent.push(await askSilently());
  vi.advanceTimersByTime(2001);
  expect(await ask('/large')).toEqual(answered);
  const bytes = await Promise.all(silent.map((socket) => readAll(socket, text.length)));
  expect(bytes.map((count) => count > text.length)).toEqual([false, true, true, true]);
  for (const socket of silent) socket.destroy();
  await served.stop();
});

/** The number of bytes received until there are more than `enough` or the connection ends. */
async function readAll(socket: Socket, enough: number): Promise<number> {
  let bytes = 0;
  for await (const chunk of socket) {
    bytes += (chunk as Buffer).length;
    if (bytes > enough) break;
  }
  return bytes;
}

test.each<[string, Error]>([
  ['an error', new Error('canary'.repeat(100_000))],
  ['one with causes without end', endless()],
  ['one from deep inside', deep(5000)],
  ['the configuration speaks', new ServiceError(500, 'x', { log: { reason: 'why' }, cause: endless() })],
])('the log has two entries of a request, of bounded size: %s', async (_what, error) => {
  const { log, lines } = recordedLog();
  const fail = () => {
    throw error;
  };
  const served = await serve({ 'POST /fail': fail }, { log, logRequests: 'on' });
  const headers = {
    'x-request-id': 'r'.repeat(4000),
    'content-type': 'application/json',
    'user-agent': 'canary'.repeat(500),
  };
  const body = JSON.stringify({ list: Array<string>(10_000).fill('canary') });
  const url = `${served.url}/fail?${'canary=1&'.repeat(300)}`;
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(500);
  await expect.poll(() => lines.length).toBe(2);
  await served.stop();
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    'request failed',
    'request',
  ]);
  expect(lines.join('').length).toBeLessThan(16 * 1024);
  expect(lines.join('')).not.toContain('canary');
});

function endless(): Error {
  const error = new Error('canary');
  error.cause = error;
  return error;
}

/** An error thrown from `levels` nested functions. */
function deep(levels: number): Error {
  return levels === 0 ? new TypeError('wrong') : deep(levels - 1);
}

const tooMuch = {
  status: 500,
  details: { log: { reason: expect.stringContaining('LIST_MEMORY') as string } },
};

test('indexed results take LIST_MEMORY at most, together with the lists of their call', async () => {
  const result = [{ text: 'x'.repeat(10 * mebibyte) }];
  const call = testCall();
  const results = new IndexedResults(call);
  for (let index = 0; index < 6; index += 1) results.set(index, result);
  const seventh = () => {
    new IndexedResults(call).set('another loop', result);
  };
  expect(seventh).toThrow(expect.objectContaining(tooMuch));
  const mapped = mapInTurns(call, [1], () => result);
  await expect(mapped).rejects.toMatchObject(tooMuch);
  // Another call has a separate limit.
  new IndexedResults(testCall()).set(1, result);
});

test('short results under many indexes, and long indexes, count too', () => {
  const fill = (index: (count: number) => string) => () => {
    const results = new IndexedResults(testCall());
    for (let count = 0; count < 1_000_000; count += 1) results.set(index(count), null);
  };
  expect(fill(String)).toThrow(expect.objectContaining(tooMuch));
  expect(fill((count) => `${count}${'x'.repeat(mebibyte)}`)).toThrow(expect.objectContaining(tooMuch));
});

test('a result that replaces another one replaces its memory, too', () => {
  const results = new IndexedResults(testCall());
  for (let round = 0; round < 20; round += 1) results.set('same', 'x'.repeat(10 * mebibyte), round);
  results.set('same', 'y'.repeat(60 * mebibyte), 0);
  expect(results.get('same')).toBe('x'.repeat(10 * mebibyte));
});

test('a result may be nested as deeply as a response of a third party', () => {
  const results = new IndexedResults(testCall());
  results.set('deep', JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`) as Json);
  expect(results.get('deep')).toHaveLength(1);
});
