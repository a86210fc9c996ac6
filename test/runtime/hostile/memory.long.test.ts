/**
 * Many concurrent requests within all limits, in a container with the memory of the generated manifest: some clients must retry, but no
 * process dies.
 */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { compile } from '../../../compiler/compile.js';
import { assets } from '../../emit/compile-text.js';
import { limitedMemory } from '../../helpers/limited-memory.js';
import { runs } from '../../helpers/runs.js';
import { RunningService } from '../../helpers/running-service.js';
import { buildServices } from '../../helpers/service-build.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';

const mebibyte = 1024 * 1024;
/** `limits.memory` of a service with uploads. */
const limit = 768 * mebibyte;

const queries = {
  postgresql: "SELECT i AS id, repeat('x', 480) AS filler FROM generate_series(1, 99000) AS i",
  mysql: "SELECT seq AS id, repeat('x', 480) AS filler FROM seq_1_to_99000",
};

const step = (type: string, query: string) => [
  { name: 'rows', type, datasource: 'db', instructions: [{ query }] },
];

const configOf = (kind: keyof typeof queries) => ({
  specification: '1.0',
  operations: {
    'GET /quick': {
      fulfillments: step('READ', 'SELECT 1 AS one'),
      responses: [{ name: 'ok', default: true, statuscode: 200, schema: 'VALUE(rows, $)' }],
    },
    'GET /rows': {
      fulfillments: step('READ', queries[kind]),
      responses: [{ name: 'ok', default: true, statuscode: 200, schema: 'VALUE(rows, $)' }],
    },
    'POST /files': {
      fulfillments: step('UPDATE', 'INSERT INTO file (content) VALUES (:[MULTIPART_FILE(file)])'),
      responses: [{ name: 'ok', default: true, statuscode: 204 }],
    },
  },
  datasources: { db: { type: 'db', url: `jdbc:${kind}://localhost/memory` } },
});

const folders = new Map<string, string>();

beforeAll(async () => {
  const services = [];
  for (const kind of ['postgresql', 'mysql'] as const) {
    const source = { path: 'config.yaml', text: JSON.stringify(configOf(kind)) };
    const { files, diagnostics } = await compile({ config: source }, assets);
    if (files === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
    services.push({ name: kind, files });
  }
  for (const [name, folder] of buildServices('memory', services)) folders.set(name, folder);
});

const figures: string[] = [];
afterAll(() => {
  console.log(figures.join('\n'));
});

/** The status of the response; undefined if the connection was closed before its end. */
type Outcome = number | undefined;

/** Sends most of a file, and its last bytes after `pause` milliseconds. */
function upload(port: number, bytes: number, pause: number): Promise<Outcome> {
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="f.bin"\r\n\r\n';
  const end = '\r\n--b--\r\n';
  return new Promise((resolve) => {
    let received = '';
    let status: Outcome;
    const socket = connect(port, '127.0.0.1');
    socket
      .on('error', () => undefined)
      .on('close', () => {
        resolve(status);
      });
    socket.on('data', (data: Buffer) => {
      received += data.toString('latin1');
      status = Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1]);
      if (status === 503) expect(received).toMatch(/\r\nRetry-After: \d/i);
      socket.destroy();
    });
    socket.write(
      `POST /files HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${head.length + bytes + end.length}\r\n\r\n${head}`,
    );
    socket.write(Buffer.alloc(bytes - 10, 'x'));
    void delay(pause).then(() => {
      if (!socket.destroyed) socket.write(`${'y'.repeat(10)}${end}`);
    });
  });
}

/** Reads at most 6 MiB a second, so a response of 49 MB takes more than eight seconds; without a pause, reads as fast as possible. */
function read(port: number, pause: number): Promise<Outcome> {
  return new Promise((resolve) => {
    let status: Outcome;
    let head = '';
    let bytes = 0;
    const socket = connect(port, '127.0.0.1');
    socket
      .on('error', () => undefined)
      .on('close', () => {
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
        resolve(bytes >= length ? status : undefined);
      });
    socket.on('data', (data: Buffer) => {
      bytes += data.length;
      if (head.length < 1000) head += data.toString('latin1', 0, 1000);
      status ??= Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]);
      socket.pause();
      setTimeout(() => socket.resume(), pause);
    });
    socket.write('GET /rows HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  });
}

const counted = (outcomes: readonly Outcome[]): string =>
  [...new Set(outcomes)]
    .map((one) => `${outcomes.filter((outcome) => outcome === one).length} × ${one ?? 'cut'}`)
    .sort()
    .join(', ');

/** Workers, and the other database, are in the full run. */
const cases = (
  [
    ['postgresql', 1],
    ['mysql', 2],
    ['mysql', 1],
    ['postgresql', 2],
  ] as const
).slice(0, runs(1, 4));

test.each(cases)('%s: uploads that wait, and slow readers; %d workers', async (kind, workers) => {
  const server = kind === 'postgresql' ? await sharedPostgres() : await sharedMariadb();
  const database = `memory_${workers}`;
  await server.createDatabase(database);
  await server.exec(database, `CREATE TABLE file (content ${kind === 'postgresql' ? 'bytea' : 'longblob'})`);
  for (let round = 0; round < runs(1, 5); round += 1) {
    const memory = limitedMemory(limit);
    const service = await RunningService.start(
      folders.get(kind) ?? '',
      {
        DATASOURCE_DB_URL: server.jdbcUrl(database),
        DATASOURCE_DB_USER: server.user,
        DATASOURCE_DB_PASSWORD: server.password,
        WORKERS: String(workers),
        // Long waits, so that requests are refused for lack of memory and not of connections.
        POOL_WAIT: '20000',
        REQUEST_TIMEOUT: '120000',
        ...memory.environment,
      },
      memory.launcher,
    );
    onTestFinished(async () => {
      await service.killAll();
      memory.remove();
    });
    const port = Number(new URL(service.url).port);
    // A single request is served.
    expect(await upload(port, 10_000_000, 0)).toBe(204);
    expect(await read(port, 0)).toBe(200);
    const uploads = Array.from({ length: 28 }, () => upload(port, 10_000_000, 6_000));
    const readers = Array.from({ length: 10 }, () => read(port, 10));
    await delay(3_000);
    // On a busy machine the database may be unreachable for a moment.
    expect([200, 503]).toContain((await fetch(`${service.url}/quick`)).status);
    const outcomes = { uploads: await Promise.all(uploads), readers: await Promise.all(readers) };
    const peak = memory.peak(service.pids);
    figures.push(
      `${kind}, ${workers} workers: uploads ${counted(outcomes.uploads)}; readers ${counted(outcomes.readers)}; peak ${Math.round(peak / mebibyte)} MiB`,
    );
    for (const outcome of outcomes.uploads) expect([204, 503]).toContain(outcome);
    for (const outcome of outcomes.readers) expect([200, 503, 504, undefined]).toContain(outcome);
    // On a busy machine one side may hold all memory until the other has been refused.
    expect([...outcomes.uploads, ...outcomes.readers]).toEqual(
      expect.arrayContaining([expect.toBeOneOf([200, 204])]),
    );
    // Acknowledged changes are stored, and the memory is free again.
    expect(await upload(port, 10_000_000, 0)).toBe(204);
    expect(await read(port, 0)).toBe(200);
    expect((await fetch(`${service.url}/quick`)).status).toBe(200);
    expect(service.printed).not.toContain('a worker ended');
    if (!memory.isEnforced) expect(peak).toBeLessThan(limit);
    expect(await service.stop()).toBe(0);
  }
});
