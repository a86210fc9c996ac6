/** A private PostgreSQL server in a temporary folder. */
import { execFile, execFileSync } from 'node:child_process';
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
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
  programs: ['initdb', 'postgres'],
  debianPackage: 'postgresql',
  missing:
    'The tests need PostgreSQL: install its server programs (initdb, postgres) so that they are in PATH, e.g. `apt-get install postgresql` or `brew install postgresql`.',
};

/** Settings that make a temporary server fast; the odd time zone shows that results do not depend on the zone. */
export const settings = [
  ...['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'listen_addresses=127.0.0.1'],
  ...['unix_socket_directories=', 'max_connections=200', 'shared_buffers=32MB', 'timezone=Asia/Kathmandu'],
];

/** The servers' user and password; the password deliberately needs percent-encoding in a URL. */
export const user = 'apikiln';
export const password = 'p@ss/w:rd#1';

/** Starts a private server. */
export async function startPostgres(): Promise<DatabaseServer> {
  const programs = programPaths(requirement);
  const directory = await mkdtemp(join(tmpdir(), 'apikiln-postgres-'));
  const identity = postgresIdentity();
  const data = await initialise(directory);

  const coordinates = { host: '127.0.0.1', port: await freePort(), user, password };
  const server = attachPostgres(coordinates);
  const log = join(directory, 'log');
  const launch = () =>
    startWatched(
      [
        programs.get('postgres') ?? '',
        '-D',
        data,
        '-p',
        String(coordinates.port),
        ...settings.flatMap((s) => ['-c', s]),
      ],
      { directory, killSignal: 'QUIT', log, ...identity },
    );
  let running = launch();
  const ready = () =>
    untilReady(() => server.exec('postgres', 'select 1'), running.running).catch(async (error: unknown) => {
      throw new Error(`PostgreSQL did not start: ${await readFile(log, 'utf8')}`, { cause: error });
    });
  await ready();

  return {
    ...server,
    async restart(mode) {
      await running.end(mode === 'fast' ? 'INT' : 'QUIT');
      running = launch();
      await ready();
    },
    kill: () => running.end('QUIT'),
    async stop() {
      await running.end('QUIT');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Creates a server's data in the folder, which is given to the server's user; returns the path of the data. */
export async function initialise(directory: string): Promise<string> {
  const identity = postgresIdentity();
  if (identity !== undefined) await chown(directory, identity.uid, identity.gid);
  const passwordFile = join(directory, 'password');
  await writeFile(passwordFile, password, { mode: 0o644 });
  const data = join(directory, 'data');
  const options = ['-D', data, '-U', user, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--no-sync'];
  await fillData('postgres', data, () =>
    promisify(execFile)(
      programPaths(requirement).get('initdb') ?? '',
      [...options, '--encoding=UTF8', '--locale=C'],
      { ...identity, cwd: directory },
    ),
  );
  return data;
}

/** Access to a running server. */
export function attachPostgres(coordinates: ServerCoordinates): AttachedServer {
  const { host, port } = coordinates;
  const open = async (database: string): Promise<pg.Client> => {
    const client = new pg.Client({ ...coordinates, database, ssl: false });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const exec = async (database: string, sql: string): Promise<Record<string, unknown>[]> => {
    const client = await open(database);
    try {
      const result: pg.QueryResult<Record<string, unknown>> | pg.QueryResult<Record<string, unknown>>[] =
        await client.query<Record<string, unknown>>(sql);
      return (
        (Array.isArray(result)
          ? (result as pg.QueryResult<Record<string, unknown>>[]).at(-1)?.rows
          : result.rows) ?? []
      );
    } finally {
      await client.end();
    }
  };
  return {
    ...coordinates,
    exec,
    async connect(database) {
      const client = await open(database);
      return { run: (sql) => client.query(sql), end: () => client.end() };
    },
    jdbcUrl: (database) => `jdbc:postgresql://${host}:${port}/${database}`,
    async createDatabase(name) {
      const client = await open('postgres');
      try {
        await client.query(`drop database if exists "${name}" with (force)`);
        await client.query(`create database "${name}"${await copying(client)}`);
      } finally {
        await client.end();
      }
    },
  };
}

/** Copying files takes half the processor time of writing all pages to the log, the default since version 15. */
async function copying(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  );
  return (rows[0]?.version ?? 0) < 150_000 ? '' : ' strategy = file_copy';
}

/** PostgreSQL refuses to run as root, so root runs its programs as the package's user. */
export function postgresIdentity(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
