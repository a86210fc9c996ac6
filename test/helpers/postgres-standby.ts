/** Two private PostgreSQL servers in a temporary folder: a primary, and a synchronous standby that has every acknowledged change. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { untilReady, type AttachedServer } from './database-server.js';
import { freePort } from './free-port.js';
import { programPaths } from './install.js';
import { attachPostgres, initialise, password, postgresIdentity, settings, user } from './postgres-server.js';
import { startWatched, type WatchedProcess } from './watched-process.js';

const requirement = {
  programs: ['initdb', 'postgres', 'pg_basebackup'],
  debianPackage: 'postgresql',
  missing:
    'The tests need PostgreSQL: install its programs (initdb, postgres, pg_basebackup) so that they are in PATH, e.g. `apt-get install postgresql`.',
};

/** One of the two servers. */
export interface Member extends AttachedServer {
  /** Kills all processes of the server without notifying clients, like a power failure. */
  kill(): Promise<void>;
  /** Suspends all processes of the server, like a machine or network that hangs; `thaw` resumes them. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Starts the server again after `kill`, in its previous role. */
  start(): Promise<void>;
  /** Makes the standby the primary. */
  promote(): Promise<void>;
  /** Replaces the data by a copy from the other server, and starts as its standby. */
  rejoin(): Promise<void>;
}

export interface PostgresPair {
  readonly members: readonly [Member, Member];
  stop(): Promise<void>;
}

/** Starts both servers; the first one is the primary. */
export async function startPostgresPair(): Promise<PostgresPair> {
  const directory = await mkdtemp(join(tmpdir(), 'apikiln-pair-'));
  const first = await initialise(directory);
  const ports = [await freePort(), await freePort()] as const;
  const [one, other] = [
    new MemberProcess(directory, first, ports[0], ports[1]),
    new MemberProcess(directory, join(directory, 'second'), ports[1], ports[0]),
  ] as const;
  const stop = async () => {
    await Promise.all([one.kill(), other.kill()]);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await one.start();
    await other.rejoin();
    // From now on, only changes replicated to the standby are acknowledged.
    await one.exec('postgres', `alter system set synchronous_standby_names = '*'`);
    await one.exec('postgres', `select pg_reload_conf()`);
    await untilReady(
      async () => {
        const [row] = await one.exec('postgres', 'select sync_state from pg_stat_replication');
        if (row?.['sync_state'] !== 'sync') throw new Error('the standby is not in step');
      },
      () => true,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { members: [member(one), member(other)], stop };
}

function member(process: MemberProcess): Member {
  return {
    ...attachPostgres(process.coordinates),
    kill: () => process.kill(),
    freeze: () => process.signal('SIGSTOP'),
    thaw: () => process.signal('SIGCONT'),
    start: () => process.start(),
    promote: async () => {
      await process.exec('postgres', 'select pg_promote(true, 60)');
    },
    rejoin: () => process.rejoin(),
  };
}

class MemberProcess {
  readonly coordinates;
  private running: WatchedProcess | undefined;

  constructor(
    private readonly directory: string,
    private readonly data: string,
    private readonly port: number,
    private readonly otherPort: number,
  ) {
    this.coordinates = { host: '127.0.0.1', port, user, password };
  }

  exec(database: string, sql: string): Promise<Record<string, unknown>[]> {
    return attachPostgres(this.coordinates).exec(database, sql);
  }

  async start(): Promise<void> {
    const log = join(this.directory, `log${this.port}`);
    const options = [...settings, 'synchronous_commit=remote_apply'].flatMap((setting) => ['-c', setting]);
    const running = startWatched(
      [
        programPaths(requirement).get('postgres') ?? '',
        ...['-D', this.data, '-p', String(this.port)],
        ...options,
      ],
      { directory: this.directory, killSignal: 'QUIT', log, ...postgresIdentity() },
    );
    this.running = running;
    await untilReady(() => this.exec('postgres', 'select 1'), running.running).catch(
      async (error: unknown) => {
        throw new Error(`PostgreSQL did not start: ${await readFile(log, 'utf8')}`, { cause: error });
      },
    );
  }

  async rejoin(): Promise<void> {
    await this.kill();
    await rm(this.data, { recursive: true, force: true });
    const { host } = this.coordinates;
    await promisify(execFile)(
      programPaths(requirement).get('pg_basebackup') ?? '',
      [
        '-D',
        this.data,
        '-h',
        host,
        '-p',
        String(this.otherPort),
        '-U',
        user,
        '-R',
        '-X',
        'stream',
        '-c',
        'fast',
      ],
      { ...postgresIdentity(), cwd: this.directory, env: { ...process.env, PGPASSWORD: password } },
    );
    await this.start();
  }

  async kill(): Promise<void> {
    if (this.running?.running() !== true) return;
    await this.signal('SIGSTOP');
    await this.signal('SIGKILL');
    await this.running.end('KILL');
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): Promise<void> {
    return signalPostgres(this.data, signal);
  }
}

/** Signals the server that uses this data, and the processes of its connections. */
export async function signalPostgres(data: string, signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): Promise<void> {
  const [server = ''] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n');
  const children = async () =>
    (await readFile(`/proc/${server}/task/${server}/children`, 'utf8')).split(' ').filter((id) => id !== '');
  // A suspended server does not start new processes.
  if (signal === 'SIGSTOP') send(signal, server);
  for (const child of await children()) send(signal, child);
  if (signal !== 'SIGSTOP') send(signal, server);
}

/** Ignores processes that have ended in the meantime. */
function send(signal: NodeJS.Signals, id: string): void {
  try {
    process.kill(Number(id), signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
