/**
 * Stored mails while processes and the database are killed at random times: KILLS=500 tries many, SEED chooses other random numbers.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseServer } from '../../helpers/database-server.js';
import { startMailServer, type MailServer } from '../../helpers/mail-server.js';
import { Random } from '../../helpers/random.js';
import { killAll } from '../start-process.js';
import { bundledService, durable, KilledServices, unsentRows } from './kills.js';

const kills = Number(process.env['KILLS'] ?? 8);
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

let main: string;
beforeAll(async () => {
  main = await bundledService('mails-main.ts');
});
afterAll(killAll);

/** A mail as it arrived for one recipient. */
interface Arrival {
  readonly order: number;
  readonly to: string;
  readonly messageId: string | undefined;
  /** In milliseconds of `performance.now()`. */
  readonly at: number;
  /** Whether the server has accepted it with a response. */
  readonly isAnswered: boolean;
}

/** A server that refuses some mails for now, and accepts some without a response. */
function startServer(random: Random, arrivals: Arrival[]): Promise<MailServer> {
  return startMailServer(
    {},
    {
      onData: (stream, { envelope }, done) => {
        let text = '';
        stream.setEncoding('utf8');
        stream.on('data', (chunk: string) => {
          text += chunk;
        });
        stream.on('end', () => {
          const fate = random.below(100);
          const headerOf = (name: string): string | undefined =>
            new RegExp(`^${name}: (.*?)\r$`, 'm').exec(text)?.[1];
          const isAnswered = fate >= 10;
          if (fate < 5) {
            done(Object.assign(new Error('not now'), { responseCode: 451 }));
            return;
          }
          arrivals.push({
            order: Number(headerOf('Subject')?.replace('Order ', '')),
            to: envelope.rcptTo.map(({ address }) => address).join(),
            messageId: headerOf('Message-ID'),
            ...{ at: performance.now(), isAnswered },
          });
          if (isAnswered) done();
        });
      },
    },
  );
}

/** Two processes that each run timers, and clients that send orders all the time. */
async function runWithKills(server: DatabaseServer, random: Random) {
  const killing = { server, database: 'kills', main, kills, random };
  const { database } = killing;
  await server.createDatabase(database);
  await server.exec(database, 'create table orders (id integer primary key)');
  const arrivals: Arrival[] = [];
  const receiver = await startServer(random, arrivals);
  const services = await KilledServices.start(killing, {
    DATASOURCE_MAIL_URL: `smtp://127.0.0.1:${receiver.port}`,
    DATASOURCE_MAIL_FROM: 'shop@example.com',
    OUTBOX_KEY: 'k'.repeat(32),
  });
  let isOver = false;
  let nextId = 1;
  const clients = Array.from({ length: 2 }, async () => {
    while (!isOver) {
      const ended = random.chance(10) ? { end: true } : {};
      await services.order({ id: (nextId += 1), ...ended });
      await delay(random.below(100));
    }
  });
  await services.killAll();
  isOver = true;
  await Promise.all(clients);
  const unsent = await unsentRows(killing);
  const rows = await server.exec(database, 'select id from orders');
  const left = await server.exec(
    database,
    "select id from apikiln_outbox where url <> '' or header <> '' or content is not null",
  );
  await services.stop();
  await receiver.stop();

  const committed = new Set(rows.map(({ id }) => Number(id)));
  const recipients = ['anna@example.com', 'bob@example.com'];
  const nameOf = ({ order, to }: Arrival): string => `${order} ${to}`;
  const answered = grouped(
    arrivals.filter(({ isAnswered }) => isAnswered),
    nameOf,
  );
  const twice = [...answered.values()].filter((list) => list.length > 1);
  return {
    kills: services.killed,
    committed: committed.size * recipients.length,
    arrived: answered.size,
    twice: twice.length,
    twiceWithoutCause: twice.filter((list) => !services.isCauseOf(list)).length,
    unsent,
    contentsLeft: left.length,
    lost: [...committed].flatMap((id) =>
      recipients.map((to) => `${id} ${to}`).filter((mail) => !answered.has(mail)),
    ),
    withoutCommit: arrivals.filter(({ order }) => !committed.has(order)).map(({ order }) => order),
    withOtherId: [...grouped(arrivals, ({ order }) => order)].flatMap(([order, list]) =>
      new Set(list.map(({ messageId }) => messageId)).size === 1 ? [] : [order],
    ),
  };
}

function grouped<Key>(
  arrivals: readonly Arrival[],
  keyOf: (arrival: Arrival) => Key,
): ReadonlyMap<Key, readonly Arrival[]> {
  const groups = new Map<Key, Arrival[]>();
  for (const arrival of arrivals) {
    const key = keyOf(arrival);
    groups.set(key, [...(groups.get(key) ?? []), arrival]);
  }
  return groups;
}

describe.each(Object.entries(durable))('%s', (name, start) => {
  test(
    'no mail is lost or sent without its commit, and all attempts have one Message-ID',
    async () => {
      const server = await start();
      try {
        const report = await runWithKills(server, new Random(seed));
        process.stdout.write(`${name}, KILLS=${kills}, SEED=${seed}: ${JSON.stringify(report)}\n`);
        expect(report.committed).toBeGreaterThan(kills);
        expect(report).toMatchObject({
          ...{ twiceWithoutCause: 0, unsent: 0, contentsLeft: 0 },
          ...{ lost: [], withoutCommit: [], withOtherId: [] },
        });
      } finally {
        await server.stop();
      }
    },
    120_000 + kills * 10_000,
  );
});
