/**
 * The end of responses for HTTP/1.0 clients, where an orderly close marks the end of the body, and for HTTP/1.1 clients; and how it is
 * logged and counted.
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import express from 'express';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Observer } from '../../../runtime/server/contracts.js';
import { serve, type Served, type ServeOptions } from '../serve.js';

const half = 'half of it';

function failing(): Readable {
  return Readable.from(
    (async function* () {
      yield half;
      await nextLook();
      throw new Error('the source fails');
    })(),
  );
}

/** Long enough for the client to read what was written. */
async function nextLook(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

/** Pages that fail after a part of their body. */
const pages: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => unknown>> = {
  throws(_request, response) {
    response.write(half);
    throw new Error('inside');
  },
  async rejects(_request, response) {
    response.write(half);
    await nextLook();
    throw new Error('inside');
  },
  async 'destroys its response'(_request, response) {
    response.write(half);
    await nextLook();
    response.destroy();
  },
  async 'destroys it with an error'(_request, response) {
    response.write(half);
    await nextLook();
    response.destroy(new Error('inside'));
  },
  async 'destroys the socket'(request, response) {
    response.write(half);
    await nextLook();
    request.socket.destroy();
  },
  async 'destroys the request'(request, response) {
    response.write(half);
    await nextLook();
    request.destroy();
  },
  async 'passes on a source that fails'(_request, response) {
    response.flushHeaders();
    await pipeline(failing(), response);
  },
  async 'compresses a source that fails'(_request, response) {
    response.setHeader('Content-Encoding', 'gzip');
    response.flushHeaders();
    await pipeline(failing(), createGzip({ flush: 2 }), response);
  },
  async 'passes on a connection that breaks'(_request, response) {
    response.write(half);
    await nextLook();
    response.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }));
  },
};

const names = Object.keys(pages);

function pageOf(request: IncomingMessage): string {
  return decodeURIComponent(request.url ?? '').slice(1);
}

/** Serves the pages as plain functions. */
async function servePlain(options: ServeOptions = {}): Promise<Served> {
  const served = await serve(
    {},
    { fallback: (request, response) => pages[pageOf(request)]?.(request, response), ...options },
  );
  onTestFinished(() => served.stop());
  return served;
}

interface Seen {
  readonly text: string;
  /** The way in which the connection ended. */
  readonly end: 'closed' | 'reset';
}

/** A client that sends a single request. */
class Client {
  readonly socket: Socket;
  readonly seen: Promise<Seen>;
  text = '';
  /** Whether the client has stopped reading. */
  private isLazy = false;

  constructor(port: number, path: string, version: string, more = '') {
    const read = (bytes: number, buffer: Uint8Array): boolean => {
      this.text += Buffer.from(buffer.buffer, 0, bytes).toString('latin1');
      this.socket.emit('text');
      // libuv would report a reset as the end if it arrives together with the last bytes.
      if (!this.isLazy) setImmediate(() => this.socket.resume());
      return false;
    };
    const onread = { buffer: new Uint8Array(65536), callback: read };
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, onread });
    this.seen = new Promise((resolve, reject) => {
      this.socket.once('end', () => {
        this.socket.destroy();
        resolve({ text: this.text, end: 'closed' });
      });
      this.socket.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET') resolve({ text: this.text, end: 'reset' });
        else reject(error);
      });
    });
    this.socket.write(`GET /${encodeURIComponent(path)} HTTP/${version}\r\nHost: a\r\n${more}\r\n`);
  }

  stopReading(): void {
    this.isLazy = true;
  }

  readAgain(): void {
    this.isLazy = false;
    this.socket.resume();
  }

  async has(part: string): Promise<void> {
    while (!this.text.includes(part)) await once(this.socket, 'text');
  }
}

const versions = ['1.0', '1.1'] as const;

describe.each(versions)('HTTP/%s', (version) => {
  test.each(names)('a page that %s resets the connection', async (name) => {
    const { port } = await servePlain();
    expect((await new Client(port, name, version).seen).end).toBe('reset');
  });

  test.each([
    [
      'throws',
      (response: ServerResponse) => {
        response.write(half);
        throw new Error('inside');
      },
    ],
    [
      'calls next with an error',
      (response: ServerResponse, next: (error: unknown) => void) => {
        response.write(half);
        next(new Error('inside'));
      },
    ],
  ] as const)('an Express page that %s resets it', async (_name, page) => {
    const app = express().get('/page', (_request, response, next) => {
      page(response, next);
    });
    const { port } = await servePlain({ fallback: app });
    expect((await new Client(port, 'page', version).seen).end).toBe('reset');
  });

  test('middleware that throws resets it', async () => {
    const { port } = await servePlain({
      middleware: (request, response) => pages['throws']?.(request, response),
    });
    expect((await new Client(port, 'any', version).seen).end).toBe('reset');
  });

  test('a page that ends is whole, also where its code fails after it', async () => {
    const large = 'x'.repeat(5_000_000);
    const { port } = await servePlain({
      fallback: (_request, response) => {
        response.write(half);
        response.write(large);
        response.end(half);
        throw new Error('inside');
      },
    });
    const { text, end } = await new Client(port, 'any', version, 'Connection: close\r\n').seen;
    expect(end).toBe('closed');
    const body = text.slice(text.indexOf('\r\n\r\n') + 4);
    if (version === '1.0') expect(body).toBe(half + large + half);
    else expect(body).toMatch(new RegExp(`${half}\r\n0\r\n\r\n$`));
  });

  test('a stop resets a response that is under way, and no other', async () => {
    const served = await servePlain({ fallback: (_request, response) => response.write(half) });
    const idle = connect(served.port, '127.0.0.1');
    await once(idle, 'connect');
    const client = new Client(served.port, 'any', version);
    await client.has(half);
    served.http.destroyConnections();
    expect((await client.seen).end).toBe('reset');
    expect(await once(idle, 'end')).toEqual([]);
  });

  test('a client that half closes in the middle takes nothing for the whole', async () => {
    const { port } = await servePlain({ fallback: (_request, response) => response.write(half) });
    const client = new Client(port, 'any', version);
    await client.has(half);
    client.socket.end();
    expect((await client.seen).end).toBe('reset');
  });

  test('a client that reads nothing for SEND_TIMEOUT finds a reset after the received bytes', async () => {
    const chunk = Buffer.alloc(1_000_000, 'x');
    const { port, http } = await servePlain({
      limits: { sendTimeout: 500 },
      fallback: async (_request, response) => {
        for (let count = 0; count < 100 && !response.destroyed; count += 1)
          if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      },
    });
    const client = new Client(port, 'any', version);
    await client.has('xxx');
    client.stopReading();
    const connections = promisify(http.server.getConnections.bind(http.server));
    await expect.poll(connections).toBe(0);
    client.readAgain();
    expect((await client.seen).end).toBe('reset');
  });
});

/** The body of pages that do not fail themselves, but whose client may. */
const large = Buffer.alloc(20_000_000, 'x');

interface Recorded {
  readonly served: Served;
  /** Level, status and end of each log line. */
  readonly log: unknown[][];
  /** Status and end of each request in the metrics. */
  readonly metrics: unknown[][];
}

async function serveRecorded(fallback: ServeOptions['fallback']): Promise<Recorded> {
  const log: unknown[][] = [];
  const metrics: unknown[][] = [];
  const observer: Partial<Observer> = {
    requestBegun: () => undefined,
    requestEnded: (_operation, status, ended) => {
      metrics.push([status, ended]);
    },
  };
  const write = (line: string): void => {
    const { level, msg, status, ended } = JSON.parse(line) as Record<string, unknown>;
    log.push([level, msg, status, ended]);
  };
  const served = await servePlain({
    fallback: fallback ?? (() => undefined),
    log: pino({ base: null, formatters: { level: (level) => ({ level }) } }, { write }),
    logRequests: 'on',
    observer: observer as Observer,
  });
  return { served, log, metrics };
}

describe('log and metrics', () => {
  test.each([
    ['small', half],
    ['large', large],
  ])('a %s response that its client reads is whole', async (_name, body) => {
    const { served, log, metrics } = await serveRecorded((_request, response) => response.end(body));
    await new Client(served.port, 'any', '1.0').seen;
    await expect.poll(() => metrics).toEqual([[200, 'whole']]);
    expect(log).toEqual([['info', 'request', 200, 'whole']]);
  });

  test.each([
    ['in the middle of it', (response: ServerResponse) => response.write(half)],
    [
      'while it is sent',
      (response: ServerResponse) => response.writeHead(200, { 'X-Half': half }).end(large),
    ],
    ['before its head', () => undefined],
  ])('a client that leaves a response %s is 499', async (when, respond) => {
    let begun: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { served, log, metrics } = await serveRecorded((_request, response) => {
      respond(response);
      begun();
    });
    const client = new Client(served.port, 'any', '1.0');
    client.stopReading();
    await asked;
    if (when !== 'before its head') await client.has(half);
    client.socket.destroy();
    await expect.poll(() => metrics).toEqual([[499, 'left']]);
    expect(log).toEqual([['info', 'request', 499, 'left']]);
  });

  test.each([
    ['in its middle', (response: ServerResponse) => response.write(half), 200],
    [
      'while it is sent',
      (response: ServerResponse) => response.writeHead(200, { 'X-Half': half }).end(large),
      200,
    ],
    ['before its head', () => undefined, 500],
  ] as const)('a response that is cut off %s is cut', async (_when, respond, status) => {
    const { served, log, metrics } = await serveRecorded((_request, response) => {
      respond(response);
      setTimeout(() => {
        served.http.destroyConnections();
      }, 50);
    });
    const client = new Client(served.port, 'any', '1.0');
    client.stopReading();
    await expect.poll(() => metrics).toEqual([[status, 'cut']]);
    expect(log).toEqual([['info', 'request', status, 'cut']]);
    client.socket.destroy();
  });

  test('code that waits for the response of a client that has left is no error', async () => {
    const { served, log, metrics } = await serveRecorded(async (_request, response) => {
      const source = new Readable({ read: () => undefined });
      source.push(half);
      await pipeline(source, response);
    });
    const client = new Client(served.port, 'any', '1.1');
    await client.has(half);
    client.socket.destroy();
    await expect.poll(() => metrics).toEqual([[499, 'left']]);
    expect(log).toEqual([['info', 'request', 499, 'left']]);
  });

  test('a response that waits for another one of its connection is left with it', async () => {
    const { served, log, metrics } = await serveRecorded((request, response) => {
      if (request.url === '/first') response.write(half);
      else response.end(half);
    });
    const client = new Client(served.port, 'first', '1.1');
    client.socket.write('GET /second HTTP/1.1\r\nHost: a\r\n\r\n');
    await client.has(half);
    client.socket.destroy();
    await expect
      .poll(() => metrics)
      .toEqual([
        [499, 'left'],
        [499, 'left'],
      ]);
    expect(log).toHaveLength(2);
  });
});
