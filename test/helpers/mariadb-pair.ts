/** Two private MariaDB servers: a primary, and a replica that follows its binary log. */
import { untilReady, type AttachedServer, type DatabaseServer } from './database-server.js';
import { startMariadb } from './mariadb-server.js';

/** One of the two servers. */
export interface MariadbMember extends AttachedServer {
  /** Kills the server without notifying clients. */
  kill(): Promise<void>;
  /** Starts the server again after `kill`, in its previous role but writable. */
  start(): Promise<void>;
  /** Makes the replica the primary. */
  promote(): Promise<void>;
}

export interface MariadbPair {
  readonly members: readonly [MariadbMember, MariadbMember];
  stop(): Promise<void>;
}

/** Starts both servers: a primary, and a read-only replica that is in sync. */
export async function startMariadbPair(): Promise<MariadbPair> {
  const servers = await Promise.all([startMariadb(binaryLog(1)), startMariadb(binaryLog(2))]);
  const [primary, replica] = servers;
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()));
  };
  try {
    // Both servers have created their users independently.
    for (const server of servers) await server.exec('mysql', 'reset master');
    await primary.exec('mysql', 'create database test');
    const { host, port, user, password } = primary;
    await replica.exec(
      'mysql',
      `set global read_only = 1;
change master to master_host = '${host}', master_port = ${port}, master_user = '${user}', master_password = '${password}', master_use_gtid = slave_pos;
start slave`,
    );
    await untilReady(
      async () => {
        await replica.exec('test', 'select 1');
      },
      () => true,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { members: [member(primary), member(replica)], stop };
}

function binaryLog(id: number): string[] {
  return ['--log-bin=binary', `--server-id=${id}`, '--gtid-strict-mode=1', '--skip-slave-start'];
}

function member(server: DatabaseServer): MariadbMember {
  return {
    ...server,
    start: () => server.restart('immediate'),
    promote: async () => {
      await server.exec('mysql', 'stop slave; reset slave all; set global read_only = 0');
    },
  };
}
