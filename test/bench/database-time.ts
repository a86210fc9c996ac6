/** Processor time of a local database server: on PostgreSQL also of the processes of its connections. */
import { readFileSync } from 'node:fs';
import type { AttachedServer } from '../helpers/database-server.js';
import { timeWithChildren } from './processor-time.js';

/** Milliseconds since the last call; NaN if the system does not report them. */
export type DatabaseTime = () => number;

/** Starts measuring. */
export async function databaseTime(server: AttachedServer, database: string): Promise<DatabaseTime> {
  const pid = await serverPid(server, database);
  let before = timeWithChildren(pid);
  return () => {
    const now = timeWithChildren(pid);
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
