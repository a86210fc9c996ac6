/** Has a database server describe statements. Results are cached until the state of the server changes. */
import type { ConnectionSettings } from '../../../runtime/sql/connection-settings.js';
import type { DatabaseSystem } from '../../../runtime/sql/driver.js';
import { DatabaseFailure } from '../../../runtime/sql/failure.js';
import { driverOf } from '../../../runtime/sql/hosts.js';
import type { DescribeResult } from '../../read/sql/statement-description.js';
import type { Dialect } from '../../read/sql/dialect.js';
import { describingCode, nameFor, type DiskCache } from './disk-cache.js';
import { DatabaseError, type Server, type ServerResult, type ServerResults } from './server.js';

/** Asks the server about all texts that are not cached for its current state. Throws a DatabaseError. */
export async function askServer(
  dialect: Dialect,
  settings: ConnectionSettings,
  texts: readonly string[],
  files: DiskCache,
): Promise<ServerResults> {
  const found = await oneServer(dialect, settings);
  const server = await connectServer(dialect, found);
  try {
    const { fingerprint, ...state } = await server.look(texts);
    const { host, port, database, user } = found;
    const name =
      fingerprint === undefined
        ? undefined
        : nameFor(describingCode(), dialect, host, String(port), database, user, fingerprint);
    const known = name === undefined ? new Map<string, DescribeResult>() : readKept(files, name);
    const missing = [...new Set(texts)].filter((text) => !known.has(text));
    if (missing.length === 0) return { ...state, results: known };
    const described = await server.describe(missing);
    const all = new Map<string, ServerResult>(known);
    for (const [index, text] of missing.entries()) {
      const result = described[index];
      if (result !== undefined) all.set(text, result);
    }
    // Do not cache missing results: they may be available next time.
    const sure = [...all].filter(([, result]) => !('unchecked' in result));
    if (name !== undefined) files.write(name, JSON.stringify(Object.fromEntries(sure)));
    return { ...state, results: all };
  } finally {
    await server.end();
  }
}

/** Connects to a server, loading its driver on demand. Throws a DatabaseError. */
export async function connectServer(dialect: Dialect, several: ConnectionSettings): Promise<Server> {
  const settings = await oneServer(dialect, several);
  if (dialect === 'postgresql') return (await import('./postgres-server.js')).connectPostgres(settings);
  return (await import('./mysql-server.js')).connectMysql(settings);
}

/**
 * The settings for the host that a service would use; a writable host if the URL does not specify this. Throws a DatabaseError if no host
 * is usable.
 */
export async function oneServer(dialect: Dialect, settings: ConnectionSettings): Promise<ConnectionSettings> {
  const { hosts } = settings;
  if (hosts === undefined) return settings;
  const target = hosts.target === 'any' ? 'preferPrimary' : hosts.target;
  const system = await systemOf(dialect);
  const driver = driverOf(system, { ...settings, hosts: { ...hosts, target } }, () => undefined);
  try {
    const session = await driver.connect(false);
    await session.end();
    return session.place?.settings ?? settings;
  } catch (error) {
    if (!(error instanceof DatabaseFailure)) throw error;
    throw new DatabaseError('unreachable', `none of the hosts can be asked: ${error.message}.`);
  }
}

async function systemOf(dialect: Dialect): Promise<DatabaseSystem> {
  const definition = { name: 'asked' };
  if (dialect === 'postgresql')
    return (await import('../../../runtime/postgres/postgres.js')).postgres(definition).system;
  return (await import('../../../runtime/mysql/mysql.js')).mysql(definition).system;
}

function readKept(files: DiskCache, name: string): Map<string, DescribeResult> {
  const text = files.read(name)?.toString('utf8');
  if (text === undefined) return new Map();
  try {
    return new Map(Object.entries(JSON.parse(text) as Record<string, DescribeResult>));
  } catch {
    return new Map();
  }
}
