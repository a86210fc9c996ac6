/**
 * Kills processes and databases of services with an outbox at random times, and compares the committed requests with those that arrived.
 */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { DatabaseServer } from '../../helpers/database-server.js';
import { startMariadb } from '../../helpers/mariadb-server.js';
import { startPostgres } from '../../helpers/postgres-server.js';
import type { Random } from '../../helpers/random.js';
import { repository } from '../../helpers/service-fixture.js';
import { ThirdParty } from '../../helpers/third-party.js';
import { Started } from '../start-process.js';

/** Bundles the service as JavaScript, because it is started many times. */
export async function bundledService(module = 'main.ts'): Promise<string> {
  const folder = join(repository, 'dist/test/outbox');
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, module.replace(/\.ts$/, '.mjs'));
  const entry = fileURLToPath(new URL(module, import.meta.url));
  await build({
    ...{ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', packages: 'external', outfile },
    logLevel: 'error',
  });
  return outfile;
}

/** Starts the service. */
export function startService(
  main: string,
  variables: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Started {
  const env = { PATH: process.env['PATH'], PORT: '0', ...variables };
  return new Started(spawn(process.execPath, [main, ...args], { env, stdio: 'pipe' }));
}

/** Servers whose committed changes survive a kill; other temporary servers do not guarantee that. */
export const durable: Readonly<Record<string, () => Promise<DatabaseServer>>> = {
  PostgreSQL: async () => {
    const server = await startPostgres();
    await server.exec('postgres', `alter role ${server.user} set synchronous_commit = on`);
    return server;
  },
  MariaDB: () => startMariadb(['--innodb-flush-log-at-trx-commit=2']),
};

export const tables = `
  create table orders (id integer primary key, name varchar(10), number integer);
  create table counter (name varchar(10) primary key, number integer not null);
  insert into counter values ('a', 0), ('b', 0), ('c', 0), ('d', 0), ('e', 0), ('f', 0);
`;
const names = ['a', 'b', 'c', 'd', 'e', 'f'];

/** A request as it arrived, and the time of the response, in milliseconds of `performance.now()`. */
interface Arrival {
  readonly id: number;
  /** The index of the request within its order. */
  readonly time: number;
  readonly key: string;
  readonly name: string | null;
  readonly value: number;
  readonly at: number;
  answered: number | undefined;
  status: number;
}

export interface Report {
  readonly kills: { readonly process: number; readonly database: number };
  /** Requests whose transaction was committed. */
  readonly committed: number;
  /** Distinct requests that arrived. */
  readonly arrived: number;
  /** Requests that received a 2xx response more than once. */
  readonly twice: number;
  /** Requests that arrived twice without a kill in between, although the service had received the response. */
  readonly twiceWithoutCause: number;
  /** Rows that are still waiting at the end, or have failed. */
  readonly unsent: number;
  /** The maximum number of rows parked after a kill, because earlier rows have the same key. */
  readonly parked: number;
  readonly lost: readonly string[];
  readonly withoutCommit: readonly string[];
  readonly withOtherKey: readonly string[];
  readonly outOfOrder: readonly string[];
}

export interface Killing {
  readonly server: DatabaseServer;
  readonly database: string;
  readonly main: string;
  readonly kills: number;
  readonly random: Random;
}

/** Milliseconds within which waiting rows must make progress. */
const patience = 60_000;

/** The number of rows that match a condition. */
export async function countRows(
  { server, database }: Pick<Killing, 'server' | 'database'>,
  condition: string,
): Promise<number> {
  const rows = await server.exec(
    database,
    `select count(*) as counted from apikiln_outbox where ${condition}`,
  );
  return Number(rows[0]?.['counted']);
}

/** Waits until every row is sent, as long as their number decreases: many kills leave many rows. Returns the number of unsent rows. */
export async function unsentRows(killing: Pick<Killing, 'server' | 'database'>): Promise<number> {
  const unsent = (): Promise<number> => countRows(killing, "state <> 'sent'");
  let left = await unsent();
  for (let end = performance.now() + patience; left > 0 && performance.now() < end;) {
    await delay(200);
    const now = await unsent();
    if (now < left) end = performance.now() + patience;
    left = now;
  }
  return left;
}

/** Two processes that each run timers, and the kills of them and of their database. */
export class KilledServices {
  readonly killed = { process: 0, database: 0 };
  /** The beginnings and ends of kills, in milliseconds of `performance.now()`. */
  readonly times: number[] = [];

  private constructor(
    private readonly killing: Killing,
    private readonly variables: Readonly<Record<string, string>>,
    private readonly services: { service: Started; port: number }[],
  ) {}

  static async start(killing: Killing, more: Readonly<Record<string, string>>): Promise<KilledServices> {
    const { server, database, main } = killing;
    const variables = {
      DATASOURCE_DB_URL: server.jdbcUrl(database),
      DATASOURCE_DB_USER: server.user,
      DATASOURCE_DB_PASSWORD: server.password,
      LOG_LEVEL: 'fatal',
      ...more,
    };
    const services = await Promise.all(
      [0, 1].map(async () => {
        const service = startService(main, variables);
        return { service, port: await service.port() };
      }),
    );
    return new KilledServices(killing, variables, services);
  }

  /** Sends the order to one of the processes. */
  order(body: object): Promise<number | undefined> {
    return order(this.killing.random.pick(this.services).port, body);
  }

  /** Kills at random times; `after` runs after each kill. */
  async killAll(after: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const { server, main, kills, random } = this.killing;
    for (let kill = 0; kill < kills; kill += 1) {
      await delay(100 + random.below(400));
      this.times.push(performance.now());
      if (random.chance(30)) {
        this.killed.database += 1;
        await server.restart('immediate');
      } else {
        this.killed.process += 1;
        const one = random.pick(this.services);
        one.service.child.kill('SIGKILL');
        await one.service.ended;
        one.service = startService(main, this.variables);
        one.port = await one.service.port();
      }
      this.times.push(performance.now());
      await after();
    }
  }

  /** Whether a kill lies between each of these arrivals and the next. */
  isCauseOf(arrivals: readonly { readonly at: number }[]): boolean {
    // For a while after a kill, processes restart and connections are reopened.
    return arrivals.slice(1).every((later, index) => {
      const earlier = arrivals[index]?.at ?? 0;
      return this.times.some((time) => time > earlier - 50 && time < later.at);
    });
  }

  async stop(): Promise<void> {
    for (const { service } of this.services) {
      service.child.kill('SIGTERM');
      await service.ended;
    }
  }
}

/** Two processes that each run timers, and clients that send orders all the time. */
export async function runWithKills(killing: Killing): Promise<Report> {
  const { server, database, random } = killing;
  await server.createDatabase(database);
  await server.exec(database, tables);
  const arrivals: Arrival[] = [];
  const receiver = await ThirdParty.start((incoming, response, body) => {
    const { id, time, name, value } = JSON.parse(body.toString()) as Pick<
      Arrival,
      'id' | 'time' | 'name' | 'value'
    >;
    const key = String(incoming.headers['idempotency-key']);
    const at = performance.now();
    const arrival: Arrival = { id, time, name, value, key, at, answered: undefined, status: 0 };
    arrivals.push(arrival);
    const fate = random.below(100);
    void delay(random.below(60)).then(() => {
      if (fate < 5) {
        // The request has taken effect, but the response is lost.
        response.destroy();
        return;
      }
      arrival.status = fate < 10 ? 503 : 204;
      response.writeHead(arrival.status, fate < 10 ? { 'retry-after': '0' } : {}).end();
      arrival.answered = performance.now();
    });
  });
  const services = await KilledServices.start(killing, { DATASOURCE_RECEIVER_URL: receiver.url });

  let isOver = false;
  let nextId = 1;
  const countOf = new Map<number, number>();
  const clients = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const body = { id: (nextId += 1), name: random.chance(60) ? random.pick(names) : null };
      const ended = random.chance(10) ? { end: true } : {};
      // Sometimes enough rows with the same key for some of them to be parked.
      const count = random.below(200) === 0 ? 80 : 1;
      countOf.set(body.id, count);
      await services.order({ ...body, ...ended, times: count });
      await delay(random.below(20));
    }
  });

  let parked = 0;
  await services.killAll(async () => {
    const now = await countRows(killing, "state = 'waiting' and attempts = 0 and due > created");
    parked = Math.max(parked, now);
  });
  isOver = true;
  await Promise.all(clients);

  const unsent = await unsentRows(killing);
  const rows = await server.exec(database, 'select id from orders');
  await services.stop();
  await receiver.stop();
  const committed = rows.flatMap((row) => {
    const id = Number(row['id']);
    return Array.from({ length: countOf.get(id) ?? 0 }, (_, time) => `${id}/${time}`);
  });
  const report = compared(arrivals, committed, services);
  return { ...report, unsent, parked };
}

function compared(
  arrivals: readonly Arrival[],
  committed: readonly string[],
  services: KilledServices,
): Omit<Report, 'unsent' | 'parked'> {
  const requests = new Set(committed);
  const byId = new Map<string, Arrival[]>();
  for (const arrival of arrivals) {
    const id = `${arrival.id}/${arrival.time}`;
    byId.set(id, [...(byId.get(id) ?? []), arrival]);
  }
  const all = [...byId.values()];
  const successes = (list: readonly Arrival[]): Arrival[] => list.filter(({ status }) => status === 204);
  const twice = all.filter((list) => successes(list).length > 1);
  return {
    kills: services.killed,
    committed: requests.size,
    arrived: byId.size,
    twice: twice.length,
    twiceWithoutCause: twice.filter((list) => !services.isCauseOf(successes(list))).length,
    lost: committed.filter((id) => successes(byId.get(id) ?? []).length === 0),
    withoutCommit: [...byId.keys()].filter((id) => !requests.has(id)),
    withOtherKey: [...byId].flatMap(([id, list]) =>
      new Set(list.map(({ key }) => key)).size > 1 ? [id] : [],
    ),
    outOfOrder: names.flatMap((name) => {
      const ofName = arrivals.filter((arrival) => arrival.name === name);
      const values = ofName.map(({ value, time }) => value * 1000 + time);
      return values.flatMap((value, index) =>
        index > 0 && value < (values[index - 1] ?? 0) ? [`${name}: ${values[index - 1]}, ${value}`] : [],
      );
    }),
  };
}

/** Returns the status; undefined if there is no response. */
export function order(port: number, body: object): Promise<number | undefined> {
  return new Promise((resolve) => {
    const text = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const outgoing = request({ port, path: '/orders', method: 'POST', headers }, (response) => {
      response.resume();
      response.on('close', () => {
        resolve(response.statusCode);
      });
    });
    outgoing.on('error', () => {
      resolve(undefined);
    });
    outgoing.end(text);
  });
}
