/** A private Galera cluster of MariaDB servers in a temporary folder; every node accepts writes. */
import { execFile, execFileSync } from 'node:child_process';
import { chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { untilReady, type AttachedServer } from './database-server.js';
import { freePort } from './free-port.js';
import { libraryPath, programPaths } from './install.js';
import { attachMariadb, createUser } from './mariadb-server.js';
import { startWatched, type WatchedProcess } from './watched-process.js';

const requirement = {
  programs: ['mariadbd', 'mariadb-install-db', 'rsync'],
  debianPackage: 'mariadb-server',
  missing:
    'The tests need MariaDB with Galera: install its server programs (mariadbd, mariadb-install-db) and rsync so that they are in PATH, e.g. `apt-get install mariadb-server galera-4`.',
};

const galeraRequirement = {
  files: ['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera-4/libgalera_smm.so'],
  debianPackage: 'galera-4',
  missing: 'The tests need the Galera library: install it, e.g. with `apt-get install galera-4`.',
};

const settings = [
  ...['--innodb-flush-log-at-trx-commit=0', '--skip-log-bin', '--innodb-doublewrite=0'],
  ...['--innodb-buffer-pool-size=24M', '--performance-schema=off', '--skip-name-resolve'],
  ...['--max-connections=120', '--bind-address=127.0.0.1', '--character-set-server=utf8mb4'],
  ...['--binlog-format=ROW', '--innodb-autoinc-lock-mode=2', '--wsrep-on=ON', '--wsrep-sst-method=rsync'],
];

const user = 'apikiln';
const password = 'p@ss/w:rd#1';

export interface GaleraNode extends AttachedServer {
  /** The rows of a SELECT, including everything that any node had committed before. */
  rows(database: string, sql: string): Promise<Record<string, unknown>[]>;
  /** Kills the node without notifying clients. */
  kill(): Promise<void>;
  /** Starts the node again, and waits until it is in sync with the cluster. */
  start(): Promise<void>;
  /** Suspends the node's process, like a machine or network that hangs; `thaw` resumes it. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Waits until the node is in sync with the cluster. */
  synced(): Promise<void>;
  /** Cuts the node off from the other nodes, and waits until it has noticed; clients can still connect to it. */
  cutOff(): Promise<void>;
  /** Restores the node's network, and waits until it is in sync with the cluster. */
  rejoin(): Promise<void>;
}

export interface GaleraCluster {
  /** The nodes, in the order in which they joined. */
  readonly nodes: readonly GaleraNode[];
  stop(): Promise<void>;
}

interface Ports {
  readonly sql: number;
  readonly group: number;
  readonly incremental: number;
  readonly transfer: number;
}

/** Starts the nodes one by one: each takes over the state of the earlier ones. */
export async function startGaleraCluster(size: number): Promise<GaleraCluster> {
  const programs = programPaths(requirement);
  const library = libraryPath(galeraRequirement);
  const identity = mysqlIdentity();
  const directory = await mkdtemp(join(tmpdir(), 'apikiln-galera-'));
  const own = async (path: string) => identity && chown(path, identity.uid, identity.gid);
  await own(directory);
  const ports: Ports[] = [];
  for (let index = 0; index < size; index += 1) {
    await mkdir(join(directory, String(index)));
    await own(join(directory, String(index)));
    ports.push({
      sql: await freePort(),
      group: await freePort(),
      incremental: await freePort(),
      transfer: await freePort(),
    });
  }
  await promisify(execFile)(
    programs.get('mariadb-install-db') ?? '',
    [
      ...['--no-defaults', `--datadir=${directory}/0`, '--skip-test-db', '--skip-name-resolve'],
      '--auth-root-authentication-method=normal',
    ],
    { cwd: directory, ...identity },
  );
  const running = new Map<number, WatchedProcess>();
  const nodes: GaleraNode[] = [];
  const stop = async () => {
    await Promise.all([...running.values()].map((node) => node.end('KILL')));
    await rm(directory, { recursive: true, force: true });
  };
  const nodeOf = (index: number, own: Ports): GaleraNode => {
    const log = join(directory, `log${index}`);
    const server = attachMariadb({ host: '127.0.0.1', port: own.sql, user, password });
    const signal = async (name: NodeJS.Signals) => {
      process.kill(Number(await readFile(join(directory, `${index}.pid`), 'utf8')), name);
    };
    const status = async (name: string, expected: string) => {
      const [row] = await server.exec('mysql', `show status like '${name}'`);
      if (row?.['Value'] !== expected)
        throw new Error(`${name} of node ${index} is ${String(row?.['Value'])}`);
    };
    const look = () => status('wsrep_local_state_comment', 'Synced');
    const until = (attempt: () => Promise<void>) =>
      untilReady(attempt, () => running.get(index)?.running() === true);
    const isolate = (isAlone: 0 | 1) =>
      server.exec('mysql', `set global wsrep_provider_options = 'gmcast.isolate=${isAlone}'`);
    return {
      ...server,
      rows: (database, sql) => server.exec(database, `set wsrep_sync_wait = 1; ${sql}`),
      start: async () => {
        const isFirst = nodes.length === 0;
        const options = nodeOptions(directory, index, own, ports, library);
        const program = [
          programs.get('mariadbd') ?? '',
          ...options,
          ...(isFirst ? ['--wsrep-new-cluster'] : []),
        ];
        const node = startWatched(program, { directory, killSignal: 'KILL', log, ...identity });
        running.set(index, node);
        const attempt = async () => {
          if (isFirst) await createUser(`${directory}/s0`);
          await look();
        };
        await untilReady(attempt, node.running).catch(async (error: unknown) => {
          throw new Error(`Galera did not start: ${await readFile(log, 'utf8')}`, { cause: error });
        });
      },
      kill: async () => {
        await running.get(index)?.end('KILL');
        running.delete(index);
      },
      freeze: () => signal('SIGSTOP'),
      thaw: () => signal('SIGCONT'),
      synced: () => until(look),
      cutOff: async () => {
        await isolate(1);
        await until(() => status('wsrep_cluster_status', 'non-Primary'));
      },
      rejoin: async () => {
        await isolate(0);
        await until(look);
      },
    };
  };
  try {
    for (const [index, own] of ports.entries()) {
      const node = nodeOf(index, own);
      await node.start();
      nodes.push(node);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes, stop };
}

function nodeOptions(
  directory: string,
  index: number,
  own: Ports,
  all: readonly Ports[],
  library: string,
): string[] {
  const provider = [
    `base_port=${own.group}`,
    `gmcast.listen_addr=tcp://127.0.0.1:${own.group}`,
    `ist.recv_addr=127.0.0.1:${own.incremental}`,
    'gcache.size=16M',
  ];
  return [
    '--no-defaults',
    `--datadir=${directory}/${index}`,
    ...settings,
    `--port=${own.sql}`,
    `--socket=${directory}/s${index}`,
    `--pid-file=${directory}/${index}.pid`,
    `--wsrep-provider=${library}`,
    `--wsrep-node-name=node${index}`,
    `--wsrep-node-address=127.0.0.1:${own.group}`,
    `--wsrep-cluster-address=gcomm://${all.map(({ group }) => `127.0.0.1:${group}`).join(',')}`,
    `--wsrep-sst-receive-address=127.0.0.1:${own.transfer}`,
    `--wsrep-provider-options=${provider.join(';')}`,
  ];
}

/** If root ran a node, its state transfer would run as the user `nobody`, so the programs run as the package's user. */
function mysqlIdentity(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option: string) => Number(execFileSync('id', [option, 'mysql'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
