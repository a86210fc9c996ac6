/** The round trips counted by `apikiln explain` match those of a running service, as counted by a proxy in front of the database. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAssets } from '../../compiler/generate/assets.js';
import { compile, checkSource } from '../../compiler/compile.js';
import { explainOperation } from '../../compiler/tools/explain/explain-operation.js';
import { ServiceView } from '../../compiler/tools/explain/service-view.js';
import { RunningService } from '../helpers/running-service.js';
import { translateServices } from '../helpers/service-build.js';
import { inputOf, repository, serviceFixtures, type DatabaseKind } from '../helpers/service-fixture.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';

interface Call {
  readonly operation: string;
  readonly target: string;
  readonly body?: unknown;
  /** Iterations of the operation's only loop. */
  readonly n?: number;
  /** The number printed by `explain`. */
  readonly roundTrips: number | string;
  /** True if fewer are possible: prefetched reads, concurrent iterations. */
  readonly isMost?: true;
}

const names = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ product: index % 2 === 0 ? 'cup' : 'plate', page: index }));

const services: Readonly<Record<string, readonly Call[]>> = {
  news: [
    { operation: 'GET /news', target: 'GET /news', roundTrips: 1 },
    { operation: 'GET /news/{id}', target: 'GET /news/1', roundTrips: 2 },
  ],
  joins: [{ operation: 'GET /products/links', target: 'GET /products/links', roundTrips: 1 }],
  loop: [
    {
      operation: 'POST /unread',
      target: 'POST /unread',
      body: [{ k: 1 }, { k: 2 }, { k: 3 }],
      n: 3,
      roundTrips: 'n',
      isMost: true,
    },
    {
      operation: 'POST /available',
      target: 'POST /available',
      body: { lines: names(100) },
      n: 100,
      roundTrips: '⌈2n/16⌉',
      isMost: true,
    },
    {
      operation: 'POST /parallel',
      target: 'POST /parallel',
      body: {
        lines: [
          { key: 'x', product: 'cup' },
          { key: 'y', product: 'plate' },
        ],
      },
      n: 2,
      roundTrips: 'n',
      isMost: true,
    },
  ],
  transaction: [
    { operation: 'GET /accounts', target: 'GET /accounts', roundTrips: 1 },
    {
      operation: 'POST /transfer',
      target: 'POST /transfer',
      body: { from: 'ada', to: 'bo', amount: 0 },
      roundTrips: 5,
    },
    {
      operation: 'POST /batch',
      target: 'POST /batch',
      body: {
        entries: [
          { to: 'bo', amount: 0 },
          { to: 'ada', amount: 0 },
        ],
      },
      n: 2,
      roundTrips: '1 + 2 × n',
    },
    {
      operation: 'POST /gifts',
      target: 'POST /gifts',
      body: { from: 'ada', gifts: Array.from({ length: 100 }, () => ({ to: 'bo', amount: 0 })) },
      n: 100,
      roundTrips: '4 + ⌈3n/128⌉',
    },
  ],
};

const assets = readAssets(repository);
const running = serviceFixtures().filter(
  ({ name, database }) =>
    name in services && (database === 'postgresql' || name === 'news' || name === 'loop'),
);

describe.each(running)('$name on $database', (fixture) => {
  const id = `trips_${fixture.name}_${fixture.database}`;
  let proxy: CountingProxy;
  let service: RunningService;

  beforeAll(async () => {
    const { files } = await compile(inputOf(fixture), assets);
    const folder = translateServices(id, [{ name: id, files: files ?? [] }]).get(id) ?? '';
    const server = await serverOf(fixture.database);
    await server.createDatabase(id);
    await server.exec(id, fixture.schema);
    if (fixture.seed !== '') await server.exec(id, fixture.seed);
    const url = server.jdbcUrl(id);
    const port = /:(\d+)\//.exec(url)?.[1] ?? '';
    proxy = await CountingProxy.start(Number(port));
    const name = /datasources:\n {2}(\w+):/.exec(fixture.config)?.[1]?.toUpperCase() ?? '';
    service = await RunningService.start(folder, {
      [`DATASOURCE_${name}_URL`]: url.replace(`:${port}/`, `:${proxy.port}/`),
      [`DATASOURCE_${name}_USER`]: server.user,
      [`DATASOURCE_${name}_PASSWORD`]: server.password,
    });
  });

  afterAll(async () => {
    expect(await service.stop()).toBe(0);
    await proxy.close();
  });

  test.each(services[fixture.name] ?? [])('$operation: $roundTrips', async (call) => {
    const { service: checked } = checkSource(inputOf(fixture));
    if (checked === undefined) throw new Error('The fixture has errors.');
    const view = new ServiceView(checked);
    const { databases } = explainOperation(view.called(call.operation), view).cost;
    expect(databases.map(({ roundTrips }) => roundTrips)).toEqual([call.roundTrips]);
    const max = valueOf(call.roundTrips, call.n ?? 0);
    const counts: number[] = [];
    // The first runs open connections, prepare statements, and measure which reads are quick. On a busy machine a read may have been slow
    // for a while; reads are then sent one by one.
    for (let run = 0; run < 25 || (run < 300 && Math.min(...counts) > max); run += 1) {
      const before = proxy.roundTrips;
      const status = await statusOf(service, call);
      expect(status).toBeLessThan(300);
      if (run >= 10) counts.push(proxy.roundTrips - before);
    }
    // Some runs include work of another connection (sessions, cancelled statements).
    const min = Math.min(...counts);
    if (call.isMost === true) expect(min).toBeLessThanOrEqual(max);
    else expect(min).toBe(max);
    expect(min).toBeGreaterThan(0);
  });
});

function serverOf(database: DatabaseKind): ReturnType<typeof sharedPostgres> {
  return database === 'postgresql' ? sharedPostgres() : sharedMariadb();
}

async function statusOf({ url }: RunningService, { target, body }: Call): Promise<number> {
  const [method = '', path = ''] = target.split(' ');
  const response = await fetch(url + path, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  await response.text();
  return response.status;
}

/** Evaluates counts such as `2 + 2 × n` and `⌈2n/16⌉`. */
function valueOf(count: number | string, n: number): number {
  return String(count)
    .split(' + ')
    .map((product) =>
      product
        .split(' × ')
        .map((factor) => factorOf(factor, n))
        .reduce((a, b) => a * b),
    )
    .reduce((a, b) => a + b);
}

function factorOf(factor: string, n: number): number {
  const [, times, by] = /^⌈(\d*)n\/(\d+)⌉$/.exec(factor) ?? [];
  if (by !== undefined) return Math.ceil((Number(times === '' ? '1' : times) * n) / Number(by));
  return factor === 'n' ? n : Number(factor);
}

/**
 * Delay of responses in milliseconds, so that statements sent together arrive before the first response; below the threshold of slow reads.
 */
const wait = 4;

/** Counts how often data is sent on a connection after data was received. */
class CountingProxy {
  roundTrips = 0;
  private readonly server = createServer((client) => {
    const upstream = connect(this.target, '127.0.0.1');
    let isWaiting = false;
    let answers: Buffer[] = [];
    let timer: NodeJS.Timeout | undefined;
    client.on('data', (data) => {
      if (!isWaiting) this.roundTrips += 1;
      isWaiting = true;
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      answers.push(data);
      timer ??= setTimeout(() => {
        timer = undefined;
        isWaiting = false;
        client.write(Buffer.concat(answers));
        answers = [];
      }, wait);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy());
  });

  private constructor(private readonly target: number) {}

  static async start(target: number): Promise<CountingProxy> {
    const proxy = new CountingProxy(target);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.close();
    await once(this.server, 'close');
  }
}
