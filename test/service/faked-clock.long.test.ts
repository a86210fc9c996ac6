/** The timers of a built service while its clock passes a clock change, under `faketime`. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filesOf } from '../emit/compile-text.js';
import { libraryPath } from '../helpers/install.js';
import { buildServices } from '../helpers/service-build.js';
import { sharedPostgres } from '../helpers/shared-servers.js';
import { killAll, Started } from '../runtime/start-process.js';

// The library is used, because the program `faketime` does not forward signals.
const faketime = libraryPath({
  files: ['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`),
  debianPackage: 'libfaketime',
  missing: 'The tests need libfaketime: install it, e.g. `apt-get install libfaketime`.',
});

/** Each timer inserts its name. `control` shows that the clock has passed times at which other timers do not run. */
const timers = {
  'twice an hour': { cron: '0 0,30 2 * * *', timezone: 'Europe/Berlin' },
  'four times an hour': { cron: '0 */15 2 * * *', timezone: 'Europe/Berlin' },
  'once a day': { cron: '0 30 2 * * *', timezone: 'Europe/Berlin' },
  'every hour': { cron: '0 30 * * * *', timezone: 'Europe/Berlin' },
  control: { cron: '20 0,30 * * * *', timezone: 'UTC' },
};

let folder: string;

beforeAll(async () => {
  const operations = Object.entries(timers).map(([name, trigger]) => [
    name,
    {
      triggers: [{ name: 'on time', ...trigger }],
      fulfillments: [
        {
          ...{ name: 'row', type: 'UPDATE', datasource: 'main' },
          instructions: [{ query: `INSERT INTO tick (name) VALUES ('${name}')` }],
        },
      ],
    },
  ]);
  const files = await filesOf({
    specification: '1.0',
    datasources: { main: { type: 'db', url: 'jdbc:postgresql://localhost/none' } },
    operations: Object.fromEntries(operations) as object,
  });
  folder = buildServices('faked-clock', [{ name: 'timers', files }]).get('timers') ?? '';
});

afterAll(killAll);

test.concurrent.each([
  // 2:00 → 3:00: skipped times run at 3:00.
  ['2026-03-29 00:58:00', '01:00:00', ['every hour', 'four times an hour', 'once a day', 'twice an hour']],
  // 3:00 → 2:00: 2:30 occurs twice.
  ['2026-10-25 00:28:00', '00:30:00', ['every hour', 'four times an hour', 'once a day', 'twice an hour']],
  ['2026-10-25 01:28:00', '01:30:00', ['every hour']],
])('from %s UTC', async (from, tick, expected) => {
  const server = await sharedPostgres();
  const database = `faked_clock_${from.replaceAll(/\D/g, '')}`;
  await server.createDatabase(database);
  await server.exec(database, 'CREATE TABLE tick (name text)');
  // Two minutes pass in 12 seconds: with a faster clock, a busy machine would miss the tick.
  const service = new Started(
    spawn(process.execPath, [join(folder, 'dist/main.js')], {
      env: {
        ...{ LD_PRELOAD: faketime, FAKETIME: `@${from} x10`, TZ: 'UTC', PORT: '0' },
        // Milliseconds on the accelerated clock.
        POOL_WAIT: '60000',
        DATASOURCE_MAIN_URL: server.jdbcUrl(database),
        DATASOURCE_MAIN_USER: server.user,
        DATASOURCE_MAIN_PASSWORD: server.password,
      },
    }),
  );
  const ended = (): Record<string, unknown>[] =>
    service.log.filter(({ msg }) => msg === 'timed operation ended');
  await expect
    .poll(() => ended().map(({ operation }) => operation), { timeout: 60_000 })
    .toEqual(expect.arrayContaining(['control', ...expected]));
  const ticks = ended().filter(({ operation }) => operation !== 'control');
  expect(ticks.map(({ operation }) => operation).sort(), service.out).toEqual(expected);
  expect(ticks.map((entry) => String(entry['tick']).slice(11, 19))).toEqual(expected.map(() => tick));
  const rows = await server.exec(database, `SELECT name FROM tick WHERE name <> 'control' ORDER BY name`);
  expect(rows.map(({ name }) => name)).toEqual(expected);
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(0);
});
