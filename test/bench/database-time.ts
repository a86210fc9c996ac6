/** Processor time of a local database server: on PostgreSQL also of the processes of its connections, including those that have ended. */
import { readdirSync, readFileSync } from 'node:fs';
import type { AttachedServer } from '../helpers/database-server.js';
import { childrenTime, processorTime } from './server-process.js';

/** Milliseconds since the last call; NaN if the system does not report them. */
export type DatabaseTime = () => number;

/** Starts measuring. */
export async function databaseTime(server: AttachedServer, database: string): Promise<DatabaseTime> {
  const pid = await serverPid(server, database);
  let before = millisecondsOf(pid);
  return () => {
    const now = millisecondsOf(pid);
    const spent = now - before;
    before = now;
    return spent;
  };
}

/** The process of the server, or of the parent of its processes. */
export async function serverPid(server: AttachedServer, database: string): Promise<number> {
  const isPostgres = server.jdbcUrl(database).startsWith('jdbc:postgresql');
  const [row] = await server.exec(
    database,
    isPostgres
      ? "select current_setting('data_directory') || '/postmaster.pid' as file"
      : 'select @@pid_file as file',
  );
  return Number.parseInt(readFileSync(String(row?.['file']), 'utf8'), 10);
}

/** Milliseconds used by the process, and by its child processes. Those that have ended are included, so the sum never decreases. */
function millisecondsOf(pid: number): number {
  const running = [pid, ...childrenOf(pid)].reduce((sum, one) => sum + timeOf(one), 0);
  return running + childrenTime(pid) * 1000;
}

/**
 * `schedstat` is exact, but covers one thread; `stat` counts hundredths of a second, and includes threads that have ended. A process that
 * has ended in the meantime is part of its parent's time.
 */
function timeOf(pid: number): number {
  const threads = listed(`/proc/${pid}/task`).length;
  if (threads === 0) return 0;
  if (threads > 1) return processorTime(pid) * 1000;
  return Number(textOf(`/proc/${pid}/schedstat`).split(' ')[0]) / 1e6;
}

function childrenOf(pid: number): readonly number[] {
  return listed(`/proc/${pid}/task`).flatMap((thread) =>
    textOf(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
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
