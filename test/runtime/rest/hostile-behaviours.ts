/** Ways in which third parties misbehave, by path. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { Behaviour } from '../../helpers/third-party.js';

const megabyte = 1024 * 1024;
const zeros = Buffer.alloc(300 * megabyte);
const bomb = gzipSync(zeros, { level: 9 });
const brotliBomb = brotliCompressSync(zeros, {
  params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 24 },
});
const packed = (text: string): Buffer => gzipSync(text);

function ok(body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
  };
}

function text(body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return ok(body, { 'content-type': 'text/plain', ...headers });
}

/** Sends bytes instead of an HTTP response; `then` decides what happens to the connection. */
function raw(bytes: string, then: (socket: Socket) => void = (socket) => socket.end()): Behaviour {
  return ({ socket }) => {
    socket.write(bytes, 'latin1', () => {
      then(socket);
    });
  };
}

/** Repeats the chunk as fast as the client reads. */
function flood(chunk: Buffer, times: number, headers: Readonly<Record<string, string>>): Behaviour {
  return (_request, response) => {
    response.writeHead(200, headers);
    let left = times;
    const more = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= 1;
        if (!response.write(chunk)) {
          response.once('drain', more);
          return;
        }
      }
      response.end();
    };
    more();
  };
}

/** Sends something every few milliseconds until the client gives up. */
function drip(start: string, each: string): Behaviour {
  return ({ socket }) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(each), 50);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
    });
  };
}

function redirect(status: number, location: string | undefined): Behaviour {
  return (_request, response) => {
    response.writeHead(status, location === undefined ? {} : { location }).end('moved');
  };
}

const json = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const reset = (socket: Socket): void => {
  setTimeout(() => socket.resetAndDestroy(), 20);
};
const mega = Buffer.alloc(megabyte, 'x');

/** Behaviours by the first segment of the path. `other` is the origin of a host that must never receive a request. */
export function hostileBehaviours(other: string): Readonly<Record<string, Behaviour>> {
  /** The last request on each connection. */
  const served = new WeakMap<Socket, string | undefined>();
  return {
    ok: ok('{"fine":true}'),
    // Missing or short-lived connections.
    hangs: () => undefined,
    drips: drip(`${json}Content-Length: 100000\r\n\r\n"`, 'x'),
    'drips-head': drip('HTTP/1.1 200 OK\r\n', 'X-A: b\r\n'),
    'resets-at-once': ({ socket }) => socket.resetAndDestroy(),
    'resets-in-the-middle': raw(`${json}Content-Length: 100\r\n\r\n{"a":`, reset),
    'closes-without-answer': ({ socket }) => socket.end(),
    'closes-in-the-head': raw('HTTP/1.1 200 OK\r\nContent-Ty'),
    // Truncated responses.
    'cut-off': raw(`${json}Content-Length: 1000\r\n\r\n{}`),
    'cut-off-text': raw('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\nhalf'),
    'cut-off-head': raw(`${json}\r\n`),
    'cut-off-chunks': raw(`${json}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`),
    'cut-off-gzip': ok(packed('{"a":"0123456789"}').subarray(0, -9), { 'content-encoding': 'gzip' }),
    'cut-off-gzip-text': text(packed('abc '.repeat(5000)).subarray(0, -9), { 'content-encoding': 'gzip' }),
    // Too much data.
    '400-mb': flood(mega, 400, { 'content-type': 'text/plain' }),
    '400-mb-announced': flood(mega, 400, {
      'content-type': 'application/json',
      'content-length': String(400 * megabyte),
    }),
    'gzip-bomb': ok(bomb, { 'content-encoding': 'gzip' }),
    'brotli-bomb': ok(brotliBomb, { 'content-encoding': 'br' }),
    'header-flood': raw(`HTTP/1.1 200 OK\r\n${'X-Flood: yes\r\n'.repeat(100_000)}\r\n`),
    'many-headers': raw(`HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(1900)}Content-Length: 0\r\n\r\n`),
    // Content that contradicts its headers.
    '500-html': (_request, response) => {
      response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>CANARY-BODY</h1>');
    },
    'broken-json': ok('{"a": CANARY-BODY'),
    'html-as-json': ok('<html>'),
    '404': (_request, response) => {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"CANARY-BODY"}');
    },
    '404-broken-json': (_request, response) => {
      response.writeHead(404, { 'content-type': 'application/json' }).end('<CANARY-BODY>');
    },
    'no-brotli': ok('nothing packed', { 'content-encoding': 'br' }),
    'no-deflate': ok('nothing packed', { 'content-encoding': 'deflate' }),
    'no-gzip': ok('{}', { 'content-encoding': 'gzip' }),
    'unknown-encoding': text('packed somehow', { 'content-encoding': 'snappy' }),
    'gzip-twice': text(gzipSync(packed('twice')), { 'content-encoding': 'gzip, gzip' }),
    'not-http': raw('SSH-2.0-OpenSSH_9.6\r\n'),
    'no-status': raw('HTTP/1.1 OK\r\n\r\n'),
    'longer-than-announced': raw(`${json}Content-Length: 2\r\n\r\n{}{"and":"more"}`),
    'two-lengths': raw(`${json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `),
    'length-and-chunked': raw(`${json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
    'negative-length': raw(`${json}Content-Length: -1\r\n\r\n{}`),
    'odd-chunk': raw(`${json}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`),
    '101': raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello'),
    '100-first': raw(
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n${json}Content-Length: 2\r\n\r\n{}`,
    ),
    '100-forever': drip('', 'HTTP/1.1 100 Continue\r\n\r\n'),
    'deep-json': ok('['.repeat(2000) + ']'.repeat(2000)),
    'bad-utf-8': ok(Buffer.from('{"a":"\xc5"}', 'latin1')),
    'latin-2': ok(Buffer.from([0x22, 0xbe, 0x22]), {
      'content-type': 'application/json; charset=iso-8859-2',
    }),
    // Unusual but valid responses.
    empty: ok(''),
    'empty-gzip': ok('', { 'content-encoding': 'gzip' }),
    '204': (_request, response) => response.writeHead(204).end(),
    text: text('žluť 12345'),
    'number-as-text': text('12345'),
    'latin-2-text': text(Buffer.from([0xbe, 0x6c, 0x75, 0xbb]), {
      'content-type': 'text/plain; charset=iso-8859-2',
    }),
    'unknown-charset': text('a', { 'content-type': 'text/plain; charset=CANARY' }),
    'no-type': raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'),
    binary: ok(Buffer.from([0, 255, 254, 13, 10]), { 'content-type': 'application/octet-stream' }),
    bom: ok('\ufeff{"a":1}'),
    'problem-json': ok('{"a":1}', { 'content-type': 'Application/Problem+JSON;charset=UTF-8' }),
    'long-number': ok('{"a":123456789012345678901234567890,"b":0.1}'),
    proto: ok('{"__proto__":{"polluted":true},"constructor":1}'),
    gzip: ok(packed('{"gzip":true}'), { 'content-encoding': 'gzip' }),
    'x-gzip': ok(packed('{"gzip":true}'), { 'content-encoding': 'X-GZIP' }),
    deflate: ok(deflateSync('{"deflate":true}'), { 'content-encoding': 'deflate' }),
    'raw-deflate': ok(deflateRawSync('{"deflate":true}'), { 'content-encoding': 'deflate' }),
    brotli: ok(brotliCompressSync('{"brotli":true}'), { 'content-encoding': 'br' }),
    identity: ok('{"identity":true}', { 'content-encoding': 'identity' }),
    'last-packet-late': (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '2' }).write('{');
      setTimeout(() => response.end('}'), 300);
    },
    'until-closed': raw(`${json}\r\n{"closed":true}`),
    // Keep-alive connections.
    'once-a-connection': (request, response, body) => {
      if (served.get(request.socket) === request.url) request.socket.destroy();
      else ok('{}')(request, response, body);
      served.set(request.socket, request.url);
    },
    'half-the-second': (request, response, body) => {
      if (served.get(request.socket) === request.url)
        raw(`${json}Content-Length: 9\r\n\r\n{`, reset)(request, response, body);
      else ok('{}')(request, response, body);
      served.set(request.socket, request.url);
    },
    bye: ok('{}', { connection: 'close' }),
    'one-too-many': (request, response, body) => {
      ok('{}')(request, response, body);
      setTimeout(() => request.socket.write(`${json}Content-Length: 2\r\n\r\n13`), 30);
    },
    // Redirects.
    'other-host': redirect(302, `${other}/stolen`),
    'other-host-short': redirect(307, `${other.replace('http:', '')}/stolen`),
    'other-scheme': redirect(302, other.replace('http:', 'https:')),
    'other-protocol': redirect(302, 'file:///etc/passwd'),
    'backslash-host': redirect(302, `\\\\${other.slice('http://'.length)}/stolen`),
    nowhere: redirect(302, undefined),
    'broken-location': redirect(302, 'http://[nonsense'),
    loop: redirect(302, '/loop'),
    within: redirect(302, '/echo?moved=yes'),
    'within-307': redirect(307, '/echo'),
    'within-308': redirect(308, 'echo#part'),
    'within-303': redirect(303, '/echo'),
    'with-user': (request, response) => {
      redirect(302, `http://eve:CANARY@${String(request.headers.host)}/echo`)(request, response, zeros);
    },
    echo: (request: IncomingMessage, response: ServerResponse, body) => {
      const { method, url, headers } = request;
      ok(JSON.stringify({ method, url, headers, body: body.toString('latin1') }))(request, response, body);
    },
  };
}
