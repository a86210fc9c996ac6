/**
 * Stored calls while processes and the database are killed at random times: KILLS=500 tries many, SEED chooses other random numbers.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseServer } from '../../helpers/database-server.js';
import { Random } from '../../helpers/random.js';
import { killAll } from '../start-process.js';
import { bundledService, durable, order, startService } from './kills.js';

const kills = Number(process.env['KILLS'] ?? 8);
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

let main: string;
beforeAll(async () => {
  main = await bundledService('calls-main.ts');
});
afterAll(killAll);

const tables = `
  create table orders (id integer primary key);
  create table in_one (id integer not null);
  create table alone (id integer not null);
`;
/** Milliseconds within which waiting calls must make progress. */
const patience = 60_000;

/** Two processes that each run timers, and clients that send orders all the time. */
async function runWithKills(server: DatabaseServer, random: Random) {
  const database = 'kills';
  await server.createDatabase(database);
  await server.exec(database, tables);
  const variables = {
    DATASOURCE_DB_URL: server.jdbcUrl(database),
    DATASOURCE_DB_USER: server.user,
    DATASOURCE_DB_PASSWORD: server.password,
    OUTBOX_KEY: 'k'.repeat(32),
    // The lease of a killed process ends after three times this time, and five seconds.
    REQUEST_TIMEOUT: '1000',
    LOG_LEVEL: 'fatal',
  };
  const services = await Promise.all(
    [0, 1].map(async () => {
      const service = startService(main, variables);
      return { service, port: await service.port() };
    }),
  );
  let isOver = false;
  let nextId = 1;
  const clients = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const ended = random.chance(10) ? { end: true } : {};
      await order(random.pick(services).port, { id: (nextId += 1), ...ended });
      await delay(random.below(20));
    }
  });
  for (let kill = 0; kill < kills; kill += 1) {
    await delay(100 + random.below(400));
    if (random.chance(30)) await server.restart('immediate');
    else {
      const one = random.pick(services);
      one.service.child.kill('SIGKILL');
      await one.service.ended;
      one.service = startService(main, variables);
      one.port = await one.service.port();
    }
  }
  isOver = true;
  await Promise.all(clients);
  const unsent = async (): Promise<number> => {
    const found = await server.exec(
      database,
      "select count(*) as counted from apikiln_outbox where state <> 'sent'",
    );
    return Number(found[0]?.['counted']);
  };
  let left = await unsent();
  for (let end = performance.now() + patience; left > 0 && performance.now() < end;) {
    await delay(200);
    const now = await unsent();
    if (now < left) end = performance.now() + patience;
    left = now;
  }
  const ids = async (table: string): Promise<number[]> =>
    (await server.exec(database, `select id from ${table}`)).map(({ id }) => Number(id));
  const [committed, inOne, alone] = [await ids('orders'), await ids('in_one'), await ids('alone')];
  for (const { service } of services) {
    service.child.kill('SIGTERM');
    await service.ended;
  }
  const orders = new Set(committed);
  const compared = (all: readonly number[]) => ({
    lost: committed.filter((id) => !all.includes(id)),
    withoutCommit: all.filter((id) => !orders.has(id)),
    twice: all.length - new Set(all).size,
  });
  return { committed: committed.length, unsent: left, inOne: compared(inOne), alone: compared(alone) };
}

describe.each(Object.entries(durable))('%s', (name, start) => {
  test(
    'no call is lost or made without its commit, and a transaction is made exactly once',
    async () => {
      const server = await start();
      try {
        const report = await runWithKills(server, new Random(seed));
        process.stdout.write(`${name}, KILLS=${kills}, SEED=${seed}: ${JSON.stringify(report)}\n`);
        expect(report.committed).toBeGreaterThan(kills);
        expect(report).toMatchObject({
          unsent: 0,
          inOne: { lost: [], withoutCommit: [], twice: 0 },
          alone: { lost: [], withoutCommit: [] },
        });
      } finally {
        await server.stop();
      }
    },
    120_000 + kills * 10_000,
  );
});
