/** `apikiln doctor`: the test servers meet the expectations of services, and unmet expectations are named. */
import { beforeAll, expect, test } from 'vitest';
import { CommandError } from '../../compiler/tools/commands/shared/output/exit-status.js';
import type { AttachedServer } from '../helpers/database-server.js';
import { freePort } from '../helpers/free-port.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { accountOf, examine, type Examination } from './examine.js';

const name = 'doctor_examined';
let servers: Readonly<Record<'postgresql' | 'mysql', AttachedServer>>;

beforeAll(async () => {
  servers = { postgresql: await sharedPostgres(), mysql: await sharedMariadb() };
  for (const server of Object.values(servers)) await server.createDatabase(name);
});

test.each(['postgresql', 'mysql'] as const)('everything holds on the server of %s', async (dialect) => {
  const server = servers[dialect];
  const { status, printed } = await examine(server.jdbcUrl(name), accountOf(server));
  const { findings, version } = JSON.parse(printed) as Examination;
  expect(findings.filter(({ holds }) => !holds)).toEqual([]);
  expect(findings).toHaveLength(dialect === 'postgresql' ? 15 : 14);
  expect(version).toMatch(dialect === 'postgresql' ? /^PostgreSQL \d/ : /MariaDB/);
  expect(status).toBe(0);
  const tables = "SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'apikiln_doctor%'";
  expect(await server.exec(name, tables), 'its table is removed').toEqual([]);
});

test.each(['postgresql', 'mysql'] as const)(
  'of several hosts of %s one that responds is examined',
  async (dialect) => {
    const server = servers[dialect];
    const [nowhere, other] = [await freePort(), await freePort()];
    const url = (hosts: string) => server.jdbcUrl(name).replace(/127\.0\.0\.1:\d+/, hosts);
    const { printed } = await examine(
      url(`127.0.0.1:${nowhere},127.0.0.1:${server.port}`),
      accountOf(server),
      'text',
    );
    expect(printed).toMatch(/\nAll 1[45] promises hold\.$/);
    const none = examine(url(`127.0.0.1:${nowhere},127.0.0.1:${other}`), accountOf(server));
    await expect(none).rejects.toThrow(
      new RegExp(
        `^None of the hosts can be asked: 127\\.0\\.0\\.1:${nowhere}: .*; 127\\.0\\.0\\.1:${other}: `,
      ),
    );
  },
);

test('a replica that does not respond ends in a sentence', async () => {
  const server = servers.mysql;
  const replica = `jdbc:mariadb://127.0.0.1:${await freePort()}`;
  await expect(examine(server.jdbcUrl(name), accountOf(server), 'text', replica)).rejects.toThrow(
    /^the replica cannot be queried: /i,
  );
});

test('an unneeded promise is reported with its consequence, and is not a failure', async () => {
  const server = servers.postgresql;
  const url = `${server.jdbcUrl(name)}?prepareThreshold=0`;
  const { status, printed } = await examine(url, accountOf(server), 'text');
  expect(printed).toContain(
    'without  Several reads are sent without waiting, and their results arrive in order\n' +
      '         connections are not shared with these settings; so a service needs more connections for the same reads',
  );
  expect(printed).toContain('13 of 15 promises hold; services do without the others.');
  expect(status).toBe(0);
});

test.each(['postgresql', 'mysql'] as const)(
  'a replica of %s: here it is the same database, which can also be written',
  async (dialect) => {
    const server = servers[dialect];
    const address = server.jdbcUrl(name).replace(/\/[^/]*$/, '');
    const { status, printed } = await examine(server.jdbcUrl(name), accountOf(server), 'text', address);
    const [, replica = ''] = printed.split('\nIts replica: ');
    expect(replica).toMatch(/holds {4}Changes on the primary arrive, within \d+ ms\n/);
    expect(replica).toContain(
      'without  It is read-only\n         the server accepts changes; so nothing but your own care keeps it equal to the primary',
    );
    expect(replica.match(/^holds /gm)).toHaveLength(7);
    expect(replica).toMatch(/\n2[12] of 2[23] promises hold; services do without the others\.$/);
    expect(status).toBe(0);
  },
);

test('a broken promise is reported with the observation, and with status 1', async () => {
  const server = servers.postgresql;
  await server.createDatabase(`${name}_broken`);
  // An event trigger drops the primary key of every new table.
  await server.exec(
    `${name}_broken`,
    `CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$
     DECLARE made text := (SELECT object_identity FROM pg_event_trigger_ddl_commands() WHERE object_type = 'table');
     BEGIN
       IF made IS NOT NULL THEN EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I', made, split_part(made, '.', 2) || '_pkey'); END IF;
     END $$;
     CREATE EVENT TRIGGER keyless ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION refuse()`,
  );
  const { status, printed } = await examine(server.jdbcUrl(`${name}_broken`), accountOf(server), 'text');
  expect(printed).toContain(
    'differs  A row that violates a key is refused, with a code\n' +
      '         a second row with one key is not refused; so services respond with 500 instead of 409',
  );
  expect(printed).toContain('14 of 15 promises hold; 1 that services need does not.');
  expect(status).toBe(1);
});

test('a server that does not respond, a user who may make no table, and a wrong URL end in a sentence', async () => {
  const server = servers.postgresql;
  await server.exec(
    name,
    "DROP ROLE IF EXISTS doctor_reader; CREATE ROLE doctor_reader LOGIN PASSWORD 'hunter2'; REVOKE CREATE ON SCHEMA public FROM PUBLIC",
  );
  const reader = { DATASOURCE_URL_USER: 'doctor_reader', DATASOURCE_URL_PASSWORD: 'hunter2' };
  await expect(examine(server.jdbcUrl(name), reader)).rejects.toThrow(
    /cannot be asked: no table can be created for the examination \(permission denied/,
  );
  await expect(examine('postgresql://127.0.0.1:1/none', reader)).rejects.toThrow(CommandError);
  await expect(examine('sqlite:file', {})).rejects.toThrow(
    'The URL names neither PostgreSQL nor MySQL or MariaDB.',
  );
});
