/**
 * A private cluster of PostgreSQL servers managed by Patroni, with etcd, in a temporary folder: a leader, and a synchronous standby that
 * has every acknowledged change.
 */
import { chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { untilListening, untilReady, type AttachedServer } from './database-server.js';
import { freePort } from './free-port.js';
import { programPaths } from './install.js';
import { attachPostgres, password, postgresIdentity, settings, user } from './postgres-server.js';
import { signalPostgres } from './postgres-standby.js';
import { startProxy, type Proxy } from './proxy.js';
import { startWatched, type WatchedProcess } from './watched-process.js';

const requirements = {
  postgres: { programs: ['pg_controldata'], debianPackage: 'postgresql' },
  patroni: { programs: ['patroni'], debianPackage: 'patroni' },
  etcd: { programs: ['etcd'], debianPackage: 'etcd-server' },
} as const;

export interface PatroniNode extends AttachedServer {
  /** Kills the server and its Patroni without notifying clients; `start` starts both again. */
  kill(): Promise<void>;
  start(): void;
  /** Suspends the server and its Patroni, like a machine that hangs; `thaw` resumes them. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Cuts Patroni off from etcd; `join` reconnects them. */
  cutOff(): void;
  join(): void;
  /** Whether the node's Patroni reports that it is the leader. */
  leads(): Promise<boolean>;
}

export interface PatroniCluster {
  readonly nodes: readonly PatroniNode[];
  /** Resolves with the leader once all nodes run and a standby is in sync. */
  settled(): Promise<PatroniNode>;
  stop(): Promise<void>;
}

function pathOf(name: keyof typeof requirements, program: string): string {
  const { programs, debianPackage } = requirements[name];
  const missing = `The tests need ${program}: install it so that it is in PATH, e.g. \`apt-get install ${debianPackage}\`.`;
  return programPaths({ programs, debianPackage, missing }).get(program) ?? '';
}

export async function startPatroniCluster(size: number): Promise<PatroniCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'apikiln-patroni-'));
  const identity = postgresIdentity();
  if (identity !== undefined) await chown(directory, identity.uid, identity.gid);
  const store = await startEtcd(directory);
  const processes = await Promise.all(
    Array.from({ length: size }, (_, index) => NodeProcess.make(directory, index, store.port)),
  );
  const stop = async () => {
    await Promise.all(processes.map((process) => process.kill()));
    await Promise.all(processes.map((process) => process.way.close()));
    await store.process.end('KILL');
    await rm(directory, { recursive: true, force: true });
  };
  const nodes = processes.map(nodeOf);
  for (const process of processes) process.start();
  return { nodes, stop, settled: () => settled(processes, nodes) };
}

async function startEtcd(directory: string): Promise<{ port: number; process: WatchedProcess }> {
  const [port, peers] = [await freePort(), await freePort()];
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peers}`];
  const process = startWatched(
    [
      pathOf('etcd', 'etcd'),
      ...['--data-dir', join(directory, 'etcd'), '--unsafe-no-fsync'],
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
      ...['--initial-cluster', `default=${peer}`],
    ],
    { directory, killSignal: 'KILL', log: join(directory, 'log-etcd') },
  );
  await untilListening(port, process.running);
  return { port, process };
}

async function settled(
  processes: readonly NodeProcess[],
  nodes: readonly PatroniNode[],
): Promise<PatroniNode> {
  const [first] = processes;
  let leader: PatroniNode | undefined;
  const look = async () => {
    const members = await first?.members();
    const roles = members?.map(({ role, state }) =>
      role !== 'leader' && state === 'streaming' ? role : state === 'running' ? role : state,
    );
    const isWhole =
      roles?.length === nodes.length &&
      roles.includes('leader') &&
      roles.includes('sync_standby') &&
      roles.every((role) => ['leader', 'sync_standby', 'replica'].includes(role));
    if (!isWhole) throw new Error(`the cluster has not settled: ${JSON.stringify(members)}`);
    const leads = await Promise.all(nodes.map((node) => node.leads()));
    leader = nodes[leads.indexOf(true)];
    if (leader === undefined) throw new Error('nobody leads');
  };
  await untilReady(look, () => true).catch(async (error: unknown) => {
    throw new Error(await first?.printed(), { cause: error });
  });
  if (leader === undefined) throw new Error('nobody leads');
  return leader;
}

function nodeOf(process: NodeProcess): PatroniNode {
  return {
    ...attachPostgres(process.coordinates),
    kill: () => process.kill(),
    start: () => {
      process.start();
    },
    freeze: () => process.signal('SIGSTOP'),
    thaw: () => process.signal('SIGCONT'),
    cutOff: () => {
      process.way.blackHole();
    },
    join: () => {
      // Dropped data never arrives, so connections must be opened again.
      process.way.heal();
      process.way.reset();
    },
    leads: () => process.leads(),
  };
}

class NodeProcess {
  readonly coordinates;
  private running: WatchedProcess | undefined;

  private constructor(
    private readonly directory: string,
    private readonly name: string,
    port: number,
    private readonly rest: number,
    /** The proxy to etcd. */
    readonly way: Proxy,
  ) {
    this.coordinates = { host: '127.0.0.1', port, user, password };
  }

  static async make(directory: string, index: number, store: number): Promise<NodeProcess> {
    const [port, rest, way] = [await freePort(), await freePort(), await startProxy(store)];
    const node = new NodeProcess(directory, `node${index}`, port, rest, way);
    await mkdir(join(directory, node.name));
    const identity = postgresIdentity();
    if (identity !== undefined) await chown(join(directory, node.name), identity.uid, identity.gid);
    await writeFile(node.path('.yaml'), JSON.stringify(node.configuration(), null, 1), { mode: 0o644 });
    return node;
  }

  start(): void {
    // The script writes the program's process id, because the started process is a shell that waits for it.
    const script = 'echo $$ > "$1"; exec "$2" "$3"';
    this.running = startWatched(
      [
        '/bin/sh',
        '-c',
        script,
        'node',
        this.path('/patroni.pid'),
        pathOf('patroni', 'patroni'),
        this.path('.yaml'),
      ],
      { directory: this.directory, killSignal: 'KILL', log: this.path('.log'), ...postgresIdentity() },
    );
  }

  async kill(): Promise<void> {
    if (this.running?.running() !== true) return;
    await this.signal('SIGSTOP');
    await this.signal('SIGKILL');
    await this.running.end('KILL');
  }

  /** Signals Patroni, and the server if it runs. */
  async signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): Promise<void> {
    process.kill(Number(await readFile(this.path('/patroni.pid'), 'utf8')), signal);
    await signalPostgres(this.path('/data'), signal).catch(() => undefined);
  }

  async leads(): Promise<boolean> {
    return fetch(`http://127.0.0.1:${this.rest}/primary`, { signal: AbortSignal.timeout(1000) }).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  /** The cluster's members as seen by this node's Patroni. */
  async members(): Promise<readonly { readonly role: string; readonly state: string }[]> {
    const response = await fetch(`http://127.0.0.1:${this.rest}/cluster`);
    return ((await response.json()) as { members: { role: string; state: string }[] }).members;
  }

  printed(): Promise<string> {
    return readFile(this.path('.log'), 'utf8');
  }

  private path(name: string): string {
    return `${join(this.directory, this.name)}${name}`;
  }

  /** The fastest allowed settings: a leader that does not respond is replaced after 20 s. */
  private configuration(): object {
    const { port } = this.coordinates;
    const parameters = Object.fromEntries(
      settings.map((setting): [string, string] => {
        const [name = '', value = ''] = setting.split('=');
        return [name, value];
      }),
    );
    return {
      scope: 'apikiln',
      name: this.name,
      restapi: { listen: `127.0.0.1:${this.rest}`, connect_address: `127.0.0.1:${this.rest}` },
      // `proxy`, because with `host` Patroni would discover the address of etcd itself.
      etcd3: { proxy: `http://127.0.0.1:${this.way.port}` },
      bootstrap: {
        dcs: { ttl: 20, loop_wait: 2, retry_timeout: 3, synchronous_mode: true },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'no-sync'],
        pg_hba: [
          'host all all 127.0.0.1/32 scram-sha-256',
          'host replication all 127.0.0.1/32 scram-sha-256',
        ],
      },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${port}`,
        data_dir: this.path('/data'),
        bin_dir: dirname(pathOf('postgres', 'pg_controldata')),
        pgpass: this.path('/pgpass'),
        authentication: {
          superuser: { username: user, password },
          replication: { username: 'replicator', password },
        },
        parameters: { ...parameters, synchronous_commit: 'remote_apply', listen_addresses: '127.0.0.1' },
        remove_data_directory_on_diverged_timelines: true,
      },
    };
  }
}
