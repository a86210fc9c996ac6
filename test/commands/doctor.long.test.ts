/** `apikiln doctor` with a replica that never receives changes, which takes ten seconds to detect. */
import { expect, test } from 'vitest';
import { sharedPostgres } from '../helpers/shared-servers.js';
import { startPgBouncer } from '../helpers/pgbouncer.js';
import { accountOf, examine, type Examination } from './examine.js';

test('a replica that follows no primary, and has other tables, is reported with status 1', async () => {
  const server = await sharedPostgres();
  const name = 'doctor_primary';
  await server.createDatabase(name);
  const other = `${name}_other`;
  await server.createDatabase(other);
  await server.exec(name, 'CREATE TABLE stock (id integer, amount integer)');
  await server.exec(other, 'CREATE TABLE stock (id integer, amount text)');
  const { status, printed } = await examine(
    server.jdbcUrl(name),
    accountOf(server),
    'json',
    server.jdbcUrl(other),
  );
  const { replica } = JSON.parse(printed) as { replica: Examination };
  const details = new Map(replica.findings.map(({ promise, detail }) => [promise, detail]));
  expect(details.get('Changes on the primary arrive')).toBe('not within 10 seconds');
  expect(details.get('It has the tables of the primary, with the same columns')).toMatch(
    / instead of .*, and \d+ more differ$/,
  );
  expect(status).toBe(1);
  await expect(
    examine(server.jdbcUrl(name), accountOf(server), 'json', 'jdbc:mariadb://x/y'),
  ).rejects.toThrow(/^--replica: /);
});

test('too few sessions of a pooler are named as the cause', { timeout: 120_000 }, async () => {
  const server = await sharedPostgres();
  const name = 'doctor_pooler';
  await server.createDatabase(name);
  const pooler = await startPgBouncer(server, { mode: 'session', size: 4 });
  try {
    const { status, printed } = await examine(pooler.jdbcUrl(name), accountOf(server), 'text');
    expect(printed).toContain(
      '4 sessions are open, and no further session can be opened (no response while connecting): raise the number of sessions of the pooler (default_pool_size) or the server (max_connections)',
    );
    expect(printed).toContain('a service opens up to POOL_MAX sessions at the same time');
    expect(printed).not.toContain('statements fail under load');
    expect(status).toBe(1);
  } finally {
    await pooler.stop();
  }
});
