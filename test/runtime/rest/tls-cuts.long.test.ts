/** Third parties whose TLS connection is cut at any byte, without a TLS close alert: a partial response is never treated as complete. */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCertificate, type Certificate } from '../../helpers/certificate.js';
import { startProxy, type Proxy } from '../../helpers/proxy.js';
import { MeasuredService } from './measured-service.js';

/** REST_CUTS=1000 makes a thousand cuts for each kind of response. */
const cuts = Number(process.env['REST_CUTS'] ?? 100);

const list = Array.from({ length: 120 }, (_, id) => ({ id, name: `entry ${id}` }));
const json = JSON.stringify(list);
const packed = gzipSync(json);

let certificate: Certificate;
let third: Server;
let proxy: Proxy;
let service: MeasuredService;

beforeAll(async () => {
  certificate = makeCertificate();
  const files = { key: readFileSync(certificate.key), cert: readFileSync(certificate.certificate) };
  third = createServer(files, ({ url = '' }, response) => {
    response.setHeader('content-type', 'application/json');
    const kind = /^\/(\w+)/.exec(url)?.[1];
    if (kind === 'length') response.setHeader('content-length', json.length);
    if (kind === 'packed') response.setHeader('content-encoding', 'gzip');
    if (kind === 'closed') {
      // The body ends only when the connection is closed.
      response.removeHeader('transfer-encoding');
      response.shouldKeepAlive = false;
    }
    void sendSlowly(kind === 'packed' ? packed : Buffer.from(json), response);
  });
  await new Promise<void>((resolve) => third.listen(0, '127.0.0.1', resolve));
  proxy = await startProxy((third.address() as AddressInfo).port);
  const url = `https://localhost:${proxy.port}`;
  service = await MeasuredService.start(
    { third: url, closed: url, calm: url },
    { NODE_EXTRA_CA_CERTS: certificate.certificate },
  );
});

afterAll(async () => {
  await service.stop();
  await proxy.close();
  third.closeAllConnections();
  third.close();
  certificate.remove();
});

/** Sends several TLS records, because a cut record is lost as a whole. */
async function sendSlowly(bytes: Buffer, response: ServerResponse): Promise<void> {
  response.flushHeaders();
  const step = Math.ceil(bytes.length / 8);
  for (let at = 0; at < bytes.length; at += step) {
    await delay(2);
    response.write(bytes.subarray(at, at + step));
  }
  response.end();
}

/** Pseudorandom numbers, the same in every run. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    yield state / 0x80000000;
  }
}

test.each(['length', 'chunks', 'packed', 'closed'])(
  `a response with %s, ${cuts} cuts: 502, or 200 with all of it`,
  async (kind) => {
    const random = numbers(35);
    const counts: Record<string, number> = {};
    const before = proxy.cuts();
    // The response head and the overhead of TLS.
    const size = (kind === 'packed' ? packed.length : json.length) + 700;
    for (let round = 0; proxy.cuts() - before < cuts; round += 1) {
      const asking = { method: round % 2 === 0 ? 'GET' : 'POST' };
      const path = `/${round % 2 === 0 ? 'read' : 'update'}/${kind}`;
      // Opens keep-alive connections in advance; otherwise handshakes would be cut more often than responses.
      expect(await service.ask(path, asking)).toMatchObject({ status: 200, body: list });
      const handshake = kind === 'closed' ? 2500 : 0;
      proxy.cutAfter(Math.floor(random.next().value * (size + handshake)), 'to client');
      const { status, body } = await service.ask(path, asking);
      proxy.heal();
      if (status === 200) expect(body).toEqual(list);
      const text = status === 200 ? 'all of it' : String((body as { message: unknown }).message);
      const key = `${asking.method} ${status} ${text}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    process.stdout.write(`${kind}: ${JSON.stringify(counts, undefined, 2)}\n`);
    const possible =
      /^(?:GET|POST) (?:200 all of it|502 The third-party API (?:did not respond as expected|is not reachable))$/;
    expect(Object.keys(counts).filter((key) => !possible.test(key))).toEqual([]);
    for (const method of ['GET', 'POST'])
      expect(counts[`${method} 502 The third-party API did not respond as expected`]).toBeGreaterThan(0);
  },
);
