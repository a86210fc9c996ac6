/** MySQL and MariaDB: accepted certificates, cancelled statements, effective time limits, and the number of cached statements. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, connect as connectSocket, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection, type Connection } from 'mysql2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../runtime/handler/json.js';
import type { ConnectionSettings } from '../../../runtime/sql/connection-settings.js';
import { DatabaseFailure } from '../../../runtime/sql/failure.js';
import { cancelOnMysql } from '../../../runtime/mysql/connection.js';
import { mysqlConnection } from '../../../runtime/mysql/session.js';
import { mysqlFailure } from '../../../runtime/mysql/failure.js';
import { mysqlRows, startMysqlSession, withoutLimits } from '../../../runtime/mysql/session.js';
import { checkCertificate } from '../../../runtime/mysql/tls.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { inList } from '../../../runtime/sql/in-lists.js';
import { severalServers } from '../../../runtime/sql/several-servers.js';
import { sql } from '../../../runtime/sql/sql-template.js';
import type { DatabaseServer } from '../../helpers/database-server.js';
import { startMariadb } from '../../helpers/mariadb-server.js';
import { testCall } from '../../helpers/test-call.js';
import { open, read } from './open-datasource.js';

const names = [
  'localhost only',
  'address only',
  'both',
  'another host',
  'expired',
  'self-signed',
  'unknown authority',
] as const;
type Name = (typeof names)[number];

let folder: string;
let secure: DatabaseServer;
let other: DatabaseServer;
const started: DatabaseServer[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'apikiln-tls-'));
  for (const authority of ['ca', 'unknown']) makeAuthority(authority);
  makeCertificate('localhost only', 'DNS:localhost');
  makeCertificate('address only', 'IP:127.0.0.1');
  makeCertificate('both', 'DNS:localhost,IP:127.0.0.1');
  makeCertificate('another host', 'DNS:db.example,IP:10.1.2.3');
  makeCertificate('expired', 'DNS:localhost,IP:127.0.0.1', { days: '-1' });
  makeCertificate('self-signed', 'DNS:localhost,IP:127.0.0.1', { authority: undefined });
  makeCertificate('unknown authority', 'DNS:localhost,IP:127.0.0.1', { authority: 'unknown' });
  present('both');
  [secure, other] = await Promise.all([
    startMariadb([`--ssl-cert=${folder}/server.pem`, `--ssl-key=${folder}/server.key`]),
    startMariadb(['--server-id=2']),
  ]);
  started.push(secure, other);
  await Promise.all(started.map((server) => server.createDatabase('lab')));
});

afterAll(async () => {
  await Promise.all(started.map((server) => server.stop()));
  rmSync(folder, { recursive: true });
});

function openssl(...parameters: string[]): void {
  execFileSync('openssl', parameters, { cwd: folder, stdio: 'ignore' });
}

const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout'];

function makeAuthority(name: string): void {
  openssl('req', '-x509', ...key, `${name}.key`, '-out', `${name}.pem`, '-subj', `/CN=${name}`, '-days', '2');
}

function makeCertificate(
  name: Name,
  altNames: string,
  { days = '2', authority = 'ca' }: { days?: string; authority?: string | undefined } = { authority: 'ca' },
): void {
  const request = ['-subj', '/CN=server', '-addext', `subjectAltName=${altNames}`];
  if (name === 'self-signed') {
    openssl('req', '-x509', ...key, `${name}.key`, '-out', `${name}.pem`, ...request, '-days', days);
    return;
  }
  openssl('req', '-new', ...key, `${name}.key`, '-out', `${name}.csr`, ...request);
  const signed = [
    '-CA',
    `${authority}.pem`,
    '-CAkey',
    `${authority}.key`,
    '-CAcreateserial',
    '-copy_extensions',
    'copyall',
  ];
  openssl('x509', '-req', '-in', `${name}.csr`, ...signed, '-days', days, '-out', `${name}.pem`);
}

/** Replaces the server's certificate, which takes effect after its next start or FLUSH SSL. */
function present(name: Name): void {
  copyFileSync(join(folder, `${name}.pem`), join(folder, 'server.pem'));
  copyFileSync(join(folder, `${name}.key`), join(folder, 'server.key'));
}

function settingsFor(
  { port, user, password }: DatabaseServer,
  more: Partial<ConnectionSettings> = {},
): ConnectionSettings {
  return {
    ...{ host: '127.0.0.1', port, database: 'lab', user, password, tls: 'off', currentSchema: undefined },
    ...{
      applicationName: undefined,
      connectTimeout: 5000,
      statementTimeout: 30_000,
      sessions: true,
      shared: 0,
      pool: { min: 0, max: 1 },
    },
    ...more,
  };
}

/** Connects like a datasource, with the test's own certificate authority; throws the driver's error. */
async function connect(settings: ConnectionSettings): Promise<Connection> {
  const options = mysqlConnection(settings);
  const ssl = options['ssl'] as object | undefined;
  const connection = createConnection({
    ...options,
    ...(ssl === undefined ? {} : { ssl: { ...ssl, ca: readFileSync(join(folder, 'ca.pem'), 'utf8') } }),
  });
  await new Promise<void>((resolve, reject) => {
    connection.on('error', reject);
    connection.on('connect', () => {
      resolve();
    });
  });
  return connection;
}

const otherHost = 'the certificate of the server does not name this host';
const untrusted = 'the certificate of the server is of an authority that is not trusted here';
const reasons: Partial<Record<Name, string>> = {
  expired: 'the certificate of the server has expired',
  // Node 24 reports a self-signed certificate as signed by an unknown authority.
  'self-signed':
    Number.parseInt(process.versions.node) >= 24
      ? untrusted
      : 'the certificate of the server is signed by itself, and is not trusted here',
  'unknown authority': untrusted,
};

/** The reason for refusing the connection; undefined if it is accepted. */
function expectedReason(name: Name, host: string, tls: ConnectionSettings['tls']): string | undefined {
  if (tls === 'encrypt') return undefined;
  const reason = reasons[name];
  if (reason !== undefined || tls === 'verify-ca') return reason;
  const named = { both: true, 'localhost only': host === 'localhost', 'address only': host === '127.0.0.1' };
  return name in named && named[name as keyof typeof named] ? undefined : otherHost;
}

describe('the certificate is that of the host that was written, be it a name or an address', () => {
  test.each(names)('%s', async (name) => {
    present(name);
    await secure.exec('mysql', 'flush ssl');
    for (const host of ['localhost', '127.0.0.1']) {
      for (const tls of ['encrypt', 'verify-ca', 'verify-full'] as const) {
        let reason: string | undefined;
        const settings = settingsFor(secure, { host, tls });
        try {
          const connection = await connect(settings);
          checkCertificate(connection, settings);
          expect(await mysqlRows(connection, "show status like 'Ssl_version'")).not.toEqual([
            ['Ssl_version', ''],
          ]);
          connection.destroy();
        } catch (error) {
          reason = mysqlFailure(error, undefined).reason;
        }
        expect([host, tls, reason]).toEqual([host, tls, expectedReason(name, host, tls)]);
      }
    }
  });

  test('a server without encryption, and one that asks for it', async () => {
    present('both');
    await secure.exec('mysql', 'flush ssl');
    const plain = await connect(settingsFor(other, { tls: 'encrypt' })).catch((error: unknown) => error);
    expect(mysqlFailure(plain, undefined)).toMatchObject({
      reason: 'the server accepts no encrypted connections',
    });
    await secure.exec('mysql', "create user 'careful'@'%' identified by 'c' require ssl");
    const refused = await connect(settingsFor(secure, { user: 'careful', password: 'c' })).catch(
      (error: unknown) => error,
    );
    expect(mysqlFailure(refused, undefined).reason).toMatch(/asks for an encrypted connection/);
  });
});

test('of several hosts each shows a certificate of its own, and one without encryption is not used', async () => {
  present('localhost only');
  await secure.exec('mysql', 'flush ssl');
  const datasource = mysql({ name: 'hostsdb' });
  const warnings: string[] = [];
  const url = `jdbc:mariadb://127.0.0.1:${other.port},localhost:${secure.port}/lab?sslMode=REQUIRED`;
  const { user, password } = secure;
  datasource.open({ url, user, password }, (warning) => warnings.push(warning), severalServers);
  const encrypted = await read(datasource, "show status like 'Ssl_version'");
  await datasource.close(performance.now());
  expect(encrypted[0]?.['Value']).toMatch(/^TLS/);
  expect(warnings).toContain(
    `127.0.0.1:${other.port} is not used: the server accepts no encrypted connections (HANDSHAKE_NO_SSL_SUPPORT).`,
  );
});

/** Two sessions with the same number on different servers. */
async function equalSessions(): Promise<[Connection, Connection]> {
  let [first, second] = await Promise.all([connect(settingsFor(secure)), connect(settingsFor(other))]);
  while (first.threadId !== second.threadId) {
    if (first.threadId < second.threadId) {
      first.destroy();
      first = await connect(settingsFor(secure));
    } else {
      second.destroy();
      second = await connect(settingsFor(other));
    }
  }
  return [first, second];
}

describe('a statement is cancelled on its own server alone', () => {
  test('if the new connection leads elsewhere, the session with the same number continues', async () => {
    const [own, foreign] = await equalSessions();
    const session = await startMysqlSession(own, settingsFor(secure));
    await startMysqlSession(foreign, settingsFor(other));
    const innocent = mysqlRows(foreign, 'select sleep(1.5)');
    await waitForSleep(other);
    await cancelOnMysql(own, session, mysqlConnection(settingsFor(other)));
    // The result is 1 if the statement was interrupted.
    expect(await innocent).toEqual([[0]]);
    for (const connection of [own, foreign]) connection.destroy();
  });

  test('on its own server it ends', async () => {
    const own = await connect(settingsFor(secure));
    const session = await startMysqlSession(own, settingsFor(secure));
    const running = mysqlRows(own, 'select sleep(20)').then(
      ([row]) => row?.[0],
      (error: unknown) => mysqlFailure(error, 'select').kind,
    );
    await waitForSleep(secure);
    await cancelOnMysql(own, session, mysqlConnection(settingsFor(secure)));
    expect([1, 'timeout']).toContain(await running);
    own.destroy();
  });

  test('a number that belongs to another session by now is left alone', async () => {
    const own = await connect(settingsFor(secure));
    const session = await startMysqlSession(own, settingsFor(secure));
    own.destroy();
    await expect
      .poll(
        async () =>
          (
            await secure.exec(
              'mysql',
              `select id from information_schema.processlist where id = ${own.threadId}`,
            )
          ).length,
      )
      .toBe(0);
    // The session number is no longer in use: nothing is killed, and no error occurs.
    await cancelOnMysql(own, session, mysqlConnection(settingsFor(secure)));
  });

  test('behind a proxy, whose numbers are its own, nothing is asked', async () => {
    const own = await connect(settingsFor(secure));
    const session = await startMysqlSession(own, settingsFor(secure));
    let asked = 0;
    const counting = createServer((socket) => {
      asked += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => counting.listen(0, '127.0.0.1', resolve));
    const { port } = counting.address() as AddressInfo;
    for (const proxied of [
      { ...session, id: '999999999' },
      { ...session, client: '' },
    ])
      await cancelOnMysql(own, proxied, mysqlConnection(settingsFor(secure, { port })));
    expect(asked).toBe(0);
    own.destroy();
    counting.close();
  });

  test('a server that does not respond is not awaited', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    const own = await connect(settingsFor(secure));
    const session = await startMysqlSession(own, settingsFor(secure));
    const { port } = silent.address() as AddressInfo;
    await expect(
      cancelOnMysql(own, session, mysqlConnection(settingsFor(secure, { port }))),
    ).resolves.toBeUndefined();
    own.destroy();
    silent.close();
  });
});

async function waitForSleep(server: DatabaseServer): Promise<void> {
  await expect
    .poll(() =>
      server.exec('mysql', "select 1 from information_schema.processlist where info like 'select sleep%'"),
    )
    .toHaveLength(1);
}

test('the smaller of two time limits holds: that of the service, and one that the administrator has set', async () => {
  await secure.exec(
    'mysql',
    "create user 'short'@'%' identified by 's' with max_statement_time 1; grant all on *.* to 'short'@'%'",
  );
  await secure.exec(
    'mysql',
    "create user 'long'@'%' identified by 'l' with max_statement_time 100; grant all on *.* to 'long'@'%'",
  );
  for (const [account, limit] of [
    [{ user: 'short', password: 's' }, '1.000000'],
    [{ user: 'long', password: 'l' }, '30.000000'],
    [{}, '30.000000'],
  ] as const) {
    const settings = settingsFor(secure, account);
    const connection = await connect(settings);
    await startMysqlSession(connection, settings);
    expect(await mysqlRows(connection, 'select cast(@@max_statement_time as char), @@time_zone')).toEqual([
      [limit, '+00:00'],
    ]);
    connection.destroy();
  }
});

describe('prepared statements are bounded', () => {
  const prepared = async (): Promise<number> => {
    const [row] = await other.exec('mysql', "show global status like 'Prepared_stmt_count'");
    return Number(row?.['Value']);
  };

  test('lists of any length leave nothing behind, and texts no more than 256 on each connection', async () => {
    const datasource = open(mysql({ name: 'bounded', pool: { max: 8 } }), other, 'lab', '?pipelining=false');
    try {
      const before = await prepared();
      for (let length = 40_000; length < 40_006; length += 1) {
        const ids = Array.from({ length }, (_, index): Json => index);
        expect(await read(datasource, sql`select 1 as one from dual where 7 ${inList()}`, [ids])).toEqual([
          { one: 1 },
        ]);
      }
      expect((await prepared()) - before).toBeLessThanOrEqual(1);
      for (let index = 0; index < 600; index += 1) await read(datasource, `select ${index} as v`);
      expect(await read(datasource, 'select 0 as v')).toEqual([{ v: 0 }]);
      expect((await prepared()) - before).toBeLessThanOrEqual(256);
    } finally {
      await datasource.close(performance.now() + 1000);
    }
  });
});

test('a garbled result costs its connection, and nothing else', async () => {
  let garble = false;
  const proxy = createServer((client) => {
    const upstream = connectSocket(other.port, '127.0.0.1');
    upstream.on('data', (data) => {
      if (garble) data.forEach((byte, index) => data.writeUInt8(index % 7 === 3 ? byte ^ 0x5a : byte, index));
      client.write(data);
    });
    client.on('data', (data) => upstream.write(data));
    for (const [one, two] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => undefined);
      one.on('close', () => two.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const datasource = mysql({ name: 'garbled', pool: { max: 1 }, timeout: 1 });
  datasource.open({
    url: `jdbc:mariadb://127.0.0.1:${port}/lab`,
    user: other.user,
    password: other.password,
  });
  try {
    const ask = () =>
      datasource.read({ operation: 'GET /test', fulfillment: 'rows', sql: "select 'abcdefgh' as a, 7 as b" })(
        testCall(),
        [],
      );
    for (let round = 0; round < 5; round += 1) {
      garble = false;
      expect(await ask()).toEqual([{ a: 'abcdefgh', b: 7 }]);
      garble = true;
      await ask().then(
        (rows) => {
          expect(rows).not.toEqual([{ a: 'abcdefgh', b: 7 }]);
        },
        () => undefined,
      );
    }
    garble = false;
    await expect.poll(() => ask().catch(() => [])).toEqual([{ a: 'abcdefgh', b: 7 }]);
  } finally {
    await datasource.close(performance.now() + 1000);
    proxy.close();
  }
});

/** A connection that changes statements before they are sent. */
async function changing(settings: ConnectionSettings, change: (sql: string) => string): Promise<Connection> {
  const connection = await connect(settings);
  const query = connection.query.bind(connection) as (...parameters: unknown[]) => unknown;
  return Object.assign(connection, {
    query: (options: { readonly sql: string }, done: unknown) =>
      query({ ...options, sql: change(options.sql) }, done),
  }) as Connection;
}

test('a server that knows no limit of time for statements gets none', async () => {
  const settings = settingsFor(other);
  const connection = await changing(settings, (sql) => sql.replaceAll(/'max_\w+_time'/g, "'none'"));
  const session = await startMysqlSession(connection, settings);
  expect(session.timeLimit).toBeUndefined();
  expect(withoutLimits(session)).toEqual([
    'SET net_write_timeout = 86400',
    'SET net_write_timeout = DEFAULT',
  ]);
  connection.destroy();
});

test('a session that forgets its settings is not used', async () => {
  // Simulates a proxy that uses a different session for each statement: the time zone was set, but is lost.
  await other.exec(
    'mysql',
    "create user 'forgetful'@'%' identified by 'f'; grant all on *.* to 'forgetful'@'%'",
  );
  const settings = settingsFor(other, { user: 'forgetful', password: 'f' });
  const connection = await changing(settings, (sql) => sql.replace("time_zone = '+00:00'", '@forgotten = 1'));
  await expect(startMysqlSession(connection, settings)).rejects.toBeInstanceOf(DatabaseFailure);
  connection.destroy();
});
