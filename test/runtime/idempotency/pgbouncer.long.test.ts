/** Idempotency keys through PgBouncer in transaction mode, where each transaction has any connection. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DatabaseServer } from '../../helpers/database-server.js';
import { startPgBouncer, type PgBouncer } from '../../helpers/pgbouncer.js';
import { startPostgres } from '../../helpers/postgres-server.js';
import { bundledService, startService } from '../outbox/kills.js';
import { killAll } from '../start-process.js';
import { send, tables } from './requests.js';

const database = 'pooled';
let server: DatabaseServer;
let pooler: PgBouncer;

beforeAll(async () => {
  server = await startPostgres();
  await server.createDatabase(database);
  await server.exec(database, tables.postgresql);
  pooler = await startPgBouncer(server, { mode: 'transaction', size: 4 });
});
afterAll(async () => {
  killAll();
  await pooler.stop();
  await server.stop();
});

test('50 requests at the same time make one change for each key, and keys are free after exceptions', async () => {
  const main = await bundledService('../idempotency/main.ts');
  const service = startService(main, {
    DATASOURCE_DB_URL: pooler.jdbcUrl(database),
    DATASOURCE_DB_USER: pooler.user,
    DATASOURCE_DB_PASSWORD: pooler.password,
    LOG_LEVEL: 'fatal',
  });
  const port = await service.port();
  for (let round = 0; round < 5; round += 1) {
    const key = `key-${round}`;
    expect((await send(port, key, { id: key, end: true }).response).status).toBe(418);
    const sent = Array.from({ length: 50 }, () => send(port, key, { id: key, pause: 0.01 }).response);
    const responses = await Promise.all(sent);
    const made = responses.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThan(0);
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ status }) => ![201, 409, 503].includes(status))).toEqual([]);
    expect((await send(port, key, { id: key, pause: 0.01 }).response).text).toBe(made[0]?.text);
  }
  const rows = await server.exec(database, 'select id, count(*)::int as times from orders group by id');
  expect(rows.map(({ times }) => times)).toEqual([1, 1, 1, 1, 1]);
  service.child.kill('SIGTERM');
  await service.ended;
});
