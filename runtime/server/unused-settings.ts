/** Reports settings that are set but have no effect: the service cannot use them, or they name resources that do not exist. */
import { upperSnake } from './environment-reference.js';
import type { Datasource, Service } from './contracts.js';
import type { Log } from './log.js';
import type { Settings } from './settings.js';
import { unreadReports } from './unread-names.js';

/** Logs settings without effect. Called once at start, in one process. Logs names only, never values. */
export function logUnusedSettings(service: Service, settings: Settings, log: Log): void {
  const { names } = settings;
  const ignored = ignoredBy(service, settings).filter(names.isSet);
  // These may be set on purpose, in a ConfigMap shared by several services.
  if (ignored.length > 0) log.info({ settings: ignored }, `No effect in this service: ${ignored.join(', ')}`);
  for (const { fields, message } of unreadReports(names)) log.warn(fields, message);
}

/** Settings that the service cannot use, whether they are set or not. */
function ignoredBy(
  { router, datasources = [], schedule }: Service,
  { schedule: hasTimers, names: { isSet } }: Settings,
): string[] {
  const isDatabase = (datasource: Datasource): boolean => 'connections' in datasource;
  const databases = datasources.filter(isDatabase);
  const thirdParties = datasources.filter((datasource) => !isDatabase(datasource));
  return [
    ...(router.readsFiles ? [] : ['FILE_LIMIT', 'PART_LIMIT', 'UPLOAD_MEMORY']),
    ...(schedule === undefined ? ['SCHEDULE', 'SCHEDULE_LEDGER', 'SCHEDULE_TIMEOUT'] : []),
    ...(schedule !== undefined && !hasTimers ? ['SCHEDULE_LEDGER'] : []),
    ...(databases.length > 0 ? [] : ['POOL_WAIT', 'ROW_LIMIT', 'RESULT_LIMIT']),
    ...(thirdParties.length > 0 ? [] : ['RESPONSE_LIMIT']),
    ...(isSet('MANAGEMENT_PORT') ? [] : ['MANAGEMENT_HOST']),
    ...thirdParties.flatMap(({ name }) =>
      ['POOL_MAX', 'REPLICA_URL'].map((field) => `DATASOURCE_${upperSnake(name)}_${field}`),
    ),
  ];
}
