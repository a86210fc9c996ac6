/** A private MariaDB server in a temporary folder. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import {
  untilReady,
  type AttachedServer,
  type DatabaseServer,
  type ServerCoordinates,
} from './database-server.js';
import { freePort } from './free-port.js';
import { programPaths } from './install.js';
import { fillData } from './server-data.js';
import { startWatched } from './watched-process.js';

const requirement = {
  programs: ['mariadbd', 'mariadb-install-db'],
  debianPackage: 'mariadb-server',
  missing:
    'The tests need MariaDB: install its server programs (mariadbd, mariadb-install-db) so that they are in PATH, e.g. `apt-get install mariadb-server` or `brew install mariadb`.',
};

/** Settings that make a temporary server fast; the odd time zone shows that results do not depend on the zone. */
const settings = [
  ...['--innodb-flush-log-at-trx-commit=0', '--sync-binlog=0', '--skip-log-bin', '--innodb-doublewrite=0'],
  ...[
    '--innodb-buffer-pool-size=32M',
    '--performance-schema=off',
    '--skip-name-resolve',
    '--max-connections=200',
  ],
  ...['--bind-address=127.0.0.1', '--default-time-zone=+05:45', '--character-set-server=utf8mb4'],
];

const user = 'apikiln';
const password = 'p@ss/w:rd#1';

/** Starts a private server; `options` are additional to those that make it fast. */
export async function startMariadb(options: readonly string[] = []): Promise<DatabaseServer> {
  const programs = programPaths(requirement);
  const directory = await mkdtemp(join(tmpdir(), 'apikiln-mariadb-'));
  const data = join(directory, 'data');
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  // A starting server removes temporary tables that it considers orphaned, so each server has a separate folder for them.
  const paths = ['--no-defaults', `--datadir=${data}`, `--tmpdir=${directory}`];
  await fillData('mariadb', data, () =>
    promisify(execFile)(
      programs.get('mariadb-install-db') ?? '',
      [
        ...paths,
        ...asRoot,
        '--skip-test-db',
        '--auth-root-authentication-method=normal',
        '--skip-name-resolve',
      ],
      { cwd: directory },
    ),
  );

  const coordinates = { host: '127.0.0.1', port: await freePort(), user, password };
  const server = attachMariadb(coordinates);
  const log = join(directory, 'log');
  const local = [`--port=${coordinates.port}`, `--socket=${directory}/s`, `--pid-file=${directory}/pid`];
  const launch = () =>
    startWatched([programs.get('mariadbd') ?? '', ...paths, ...asRoot, ...local, ...settings, ...options], {
      directory,
      killSignal: 'KILL',
      log,
    });
  let running = launch();
  const ready = (attempt: () => Promise<unknown>) =>
    untilReady(attempt, running.running).catch(async (error: unknown) => {
      throw new Error(`MariaDB did not start: ${await readFile(log, 'utf8')}`, { cause: error });
    });
  await ready(() => createUser(`${directory}/s`));

  return {
    ...server,
    async restart(mode) {
      await running.end(mode === 'fast' ? 'TERM' : 'KILL');
      running = launch();
      await ready(() => server.exec('mysql', 'select 1'));
    },
    kill: () => running.end('KILL'),
    async stop() {
      await running.end('KILL');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Access to a running server. */
export function attachMariadb(coordinates: ServerCoordinates): AttachedServer {
  const { host, port } = coordinates;
  const exec = async (database: string, sql: string): Promise<Record<string, unknown>[]> => {
    const connection = await mysql.createConnection({ ...coordinates, database, multipleStatements: true });
    connection.on('error', () => undefined);
    try {
      const [result] = await connection.query<RowDataPacket[] | RowDataPacket[][]>(sql);
      if (!Array.isArray(result)) return [];
      const last: unknown = result.at(-1);
      return (Array.isArray(last) ? last : result) as Record<string, unknown>[];
    } finally {
      await connection.end();
    }
  };
  return {
    ...coordinates,
    exec,
    async connect(database) {
      const connection = await mysql.createConnection({ ...coordinates, database });
      connection.on('error', () => undefined);
      return { run: (sql) => connection.query(sql), end: () => connection.end() };
    },
    jdbcUrl: (database) => `jdbc:mariadb://${host}:${port}/${database}`,
    async createDatabase(name) {
      await exec('mysql', `drop database if exists \`${name}\`; create database \`${name}\``);
    },
  };
}

/** Creates the tests' user, who has all privileges. */
export async function createUser(socketPath: string): Promise<void> {
  const connection = await mysql.createConnection({ socketPath, user: 'root' });
  try {
    await connection.query(`create or replace user '${user}'@'%' identified by '${password}'`);
    await connection.query(`grant all on *.* to '${user}'@'%' with grant option`);
  } finally {
    await connection.end();
  }
}
