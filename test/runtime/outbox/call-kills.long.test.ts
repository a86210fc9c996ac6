/**
 * Stored calls while processes and the database are killed at random times: KILLS=500 tries many, SEED chooses other random numbers.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseServer } from '../../helpers/database-server.js';
import { Random } from '../../helpers/random.js';
import { killAll } from '../start-process.js';
import { bundledService, durable, KilledServices, unsentRows } from './kills.js';

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
/** Two processes that each run timers, and clients that send orders all the time. */
async function runWithKills(server: DatabaseServer, random: Random) {
  const killing = { server, database: 'kills', main, kills, random };
  const { database } = killing;
  await server.createDatabase(database);
  await server.exec(database, tables);
  const services = await KilledServices.start(killing, {
    OUTBOX_KEY: 'k'.repeat(32),
    // The lease of a killed process ends after three times this time, and five seconds.
    REQUEST_TIMEOUT: '1000',
  });
  let isOver = false;
  let nextId = 1;
  const clients = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const ended = random.chance(10) ? { end: true } : {};
      await services.order({ id: (nextId += 1), ...ended });
      await delay(random.below(20));
    }
  });
  await services.killAll();
  isOver = true;
  await Promise.all(clients);
  const unsent = await unsentRows(killing);
  const ids = async (table: string): Promise<number[]> =>
    (await server.exec(database, `select id from ${table}`)).map(({ id }) => Number(id));
  const [committed, inOne, alone] = [await ids('orders'), await ids('in_one'), await ids('alone')];
  await services.stop();
  const orders = new Set(committed);
  const compared = (all: readonly number[]) => ({
    lost: committed.filter((id) => !all.includes(id)),
    withoutCommit: all.filter((id) => !orders.has(id)),
    twice: all.length - new Set(all).size,
  });
  return { committed: committed.length, unsent, inOne: compared(inOne), alone: compared(alone) };
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
