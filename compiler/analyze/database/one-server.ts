/** Which one of several hosts is asked: the one that a service would use, and one that can be written where the URL does not say. */
import type { ConnectionSettings } from '../../../runtime/sql/connection-settings.js';
import type { DatabaseSystem } from '../../../runtime/sql/driver.js';
import { DatabaseFailure } from '../../../runtime/sql/failure.js';
import { driverOf } from '../../../runtime/sql/hosts.js';
import type { Dialect } from '../../read/sql/dialect.js';
import { DatabaseError } from './server.js';

/** The settings of one host. Throws a DatabaseError where none of them can be used. */
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
    return (await import('../../../runtime/postgres/postgres.js')).postgres(definition).dialect;
  return (await import('../../../runtime/mysql/mysql.js')).mysql(definition).dialect;
}
