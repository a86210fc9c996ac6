/** A private PgBouncer in front of a PostgreSQL server. */
import { execFileSync } from 'node:child_process';
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attachPostgres } from './postgres-server.js';
import { untilReady, type AttachedServer } from './database-server.js';
import { freePort } from './free-port.js';
import { programPaths } from './install.js';
import { startWatched } from './watched-process.js';

const requirement = {
  programs: ['pgbouncer'],
  debianPackage: 'pgbouncer',
  missing: 'The tests need PgBouncer: install it so that it is in PATH, e.g. `apt-get install pgbouncer`.',
};

export interface PgBouncerOptions {
  readonly mode: 'session' | 'transaction' | 'statement';
  /** The value of `ignore_startup_parameters`. */
  readonly ignored?: string;
  /** The number of server connections for each database. */
  readonly size?: number;
}

export interface PgBouncer extends AttachedServer {
  stop(): Promise<void>;
}

/** Starts PgBouncer in front of all databases of the server. */
export async function startPgBouncer(server: AttachedServer, options: PgBouncerOptions): Promise<PgBouncer> {
  const program = programPaths(requirement).get('pgbouncer') ?? '';
  const directory = await mkdtemp(join(tmpdir(), 'apikiln-pgbouncer-'));
  const port = await freePort();
  const users = join(directory, 'users');
  const settings = join(directory, 'pgbouncer.ini');
  const log = join(directory, 'log');
  await writeFile(users, `"${server.user}" "${server.password}"\n`);
  await writeFile(
    settings,
    [
      '[databases]',
      `* = host=${server.host} port=${server.port}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1`,
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = scram-sha-256',
      `auth_file = ${users}`,
      `pool_mode = ${options.mode}`,
      `default_pool_size = ${options.size ?? 5}`,
      'max_client_conn = 200',
      ...(options.ignored === undefined ? [] : [`ignore_startup_parameters = ${options.ignored}`]),
    ].join('\n'),
  );
  const identity = pgBouncerIdentity();
  if (identity !== undefined) {
    await Promise.all([directory, users, settings].map((path) => chown(path, identity.uid, identity.gid)));
  }
  const running = startWatched([program, settings], { directory, killSignal: 'KILL', log, ...identity });
  const pooler = attachPostgres({ ...server, port });
  try {
    await untilReady(() => pooler.exec('postgres', 'select 1'), running.running);
  } catch (error) {
    throw new Error(`PgBouncer did not start: ${await readFile(log, 'utf8')}`, { cause: error });
  }
  return {
    ...pooler,
    async stop() {
      await running.end('KILL');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** PgBouncer refuses to run as root, so root runs it as the user of PostgreSQL's package. */
function pgBouncerIdentity(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
