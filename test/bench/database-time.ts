/** Processor time of a local database server: of its threads, and on PostgreSQL of the processes of its connections. */
import { readdirSync, readFileSync } from 'node:fs';
import type { DatabaseServer } from '../helpers/database-server.js';

/** Milliseconds since the last call, for processes that still exist; NaN if the system does not report them. */
export type DatabaseTime = () => number;

/** Starts measuring. */
export async function databaseTime(server: DatabaseServer, database: string): Promise<DatabaseTime> {
  const pid = await serverPid(server, database);
  let before = timesOf(pid);
  return () => {
    const now = timesOf(pid);
    const spent = [...now].reduce((sum, [thread, time]) => sum + time - (before.get(thread) ?? 0), 0);
    before = now;
    return spent / 1e6;
  };
}

async function serverPid(server: DatabaseServer, database: string): Promise<number> {
  const isPostgres = server.jdbcUrl(database).startsWith('jdbc:postgresql');
  const [row] = await server.exec(
    database,
    isPostgres
      ? "select current_setting('data_directory') || '/postmaster.pid' as file"
      : 'select @@pid_file as file',
  );
  return Number.parseInt(readFileSync(String(row?.['file']), 'utf8'), 10);
}

/** Nanoseconds used by each thread of the process and of its child processes. */
function timesOf(pid: number): ReadonlyMap<string, number> {
  const pids = [pid, ...childrenOf(pid)];
  return new Map(pids.flatMap((one) => threadsOf(one)));
}

function childrenOf(pid: number): readonly number[] {
  return listed(`/proc/${pid}/task`).flatMap((thread) =>
    textOf(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
}

function threadsOf(pid: number): readonly (readonly [string, number])[] {
  return listed(`/proc/${pid}/task`).map((thread) => [
    `${pid}/${thread}`,
    Number(textOf(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]),
  ]);
}

/** Files of processes that have ended in the meantime are missing. */
function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
