/** The outbox while processes and the database are killed at random times: KILLS=500 tries many, SEED chooses other random numbers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Random } from '../../helpers/random.js';
import { killAll } from '../start-process.js';
import { bundledService, durable, runWithKills } from './kills.js';

const kills = Number(process.env['KILLS'] ?? 8);
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

let main: string;
beforeAll(async () => {
  main = await bundledService();
});
afterAll(killAll);

describe.each(Object.entries(durable))('%s', (name, start) => {
  test(
    'nothing is lost, nothing is sent without its commit, and keys keep their order',
    async () => {
      const server = await start();
      try {
        const random = new Random(seed);
        const report = await runWithKills({ server, database: 'kills', main, kills, random });
        process.stdout.write(`${name}, SEED=${seed}: ${JSON.stringify(report)}\n`);
        expect(report.committed).toBeGreaterThan(kills);
        expect(report.parked).toBeGreaterThan(0);
        expect(report).toMatchObject({
          ...{
            twiceWithoutCause: 0,
            unsent: 0,
            lost: [],
            withoutCommit: [],
            withOtherKey: [],
            outOfOrder: [],
          },
        });
      } finally {
        await server.stop();
      }
    },
    120_000 + kills * 10_000,
  );
});
