/** Idempotency keys while processes and the database are killed at random times: KILLS=200 tries many, SEED chooses other random numbers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Random } from '../../helpers/random.js';
import { bundledService, durable } from '../outbox/kills.js';
import { killAll } from '../start-process.js';
import { runWithKills } from './kills.js';

const kills = Number(process.env['KILLS'] ?? 8);
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

let main: string;
beforeAll(async () => {
  main = await bundledService('../idempotency/main.ts');
});
afterAll(killAll);

describe.each(Object.entries(durable))('%s', (name, start) => {
  test(
    'each change is made once, and has its response',
    async () => {
      const server = await start();
      try {
        const random = new Random(seed);
        const kind = name === 'PostgreSQL' ? 'postgresql' : 'mysql';
        const report = await runWithKills({ server, kind, database: 'kills', main, kills, random });
        process.stdout.write(`${name}, SEED=${seed}: ${JSON.stringify(report)}\n`);
        expect(report.keys).toBeGreaterThan(kills);
        expect(report).toMatchObject({
          ...{ twice: [], missing: [], different: [], unexpected: [], withoutResponse: 0, withoutChange: 0 },
        });
      } finally {
        await server.stop();
      }
    },
    120_000 + kills * 10_000,
  );
});
