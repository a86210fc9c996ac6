/** Reports settings that are set but have no effect: the service cannot use them, or they name resources that do not exist. */
import { upperSnake } from './environment-reference.js';
import type { Datasource, Service } from './contracts.js';
import type { Log } from './log.js';
import type { Settings } from './settings.js';

/** Logs settings without effect. Called once at start, in one process. Logs names only, never values. */
export function logUnusedSettings(service: Service, { names }: Settings, log: Log): void {
  const ignored = ignoredBy(service, names.isSet).filter(names.isSet);
  // These may be set on purpose, in a ConfigMap shared by several services.
  if (ignored.length > 0) log.info({ settings: ignored }, `No effect in this service: ${ignored.join(', ')}`);
  const unread = names.unread.map((name) => ({
    name: name.slice(0, longestName),
    meant: nearestOf(name, names.missing),
  }));
  for (const { name, meant } of unread)
    if (meant !== undefined)
      log.warn({ setting: name }, `${name} is not read by this service; did you mean ${meant}?`);
  const others = unread.flatMap(({ name, meant }) => (meant === undefined ? [name] : []));
  if (others.length > 0)
    log.warn(
      { count: others.length },
      `Not read by this service: ${others.slice(0, shownNames).join(', ')}${others.length > shownNames ? ' …' : ''}`,
    );
}

/** Limits for log entries, because the environment may contain many long names. */
const shownNames = 10;
const longestName = 100;

/** Settings that the service cannot use, whether they are set or not. */
function ignoredBy(
  { router, datasources = [], schedule }: Service,
  isSet: (name: string) => boolean,
): string[] {
  const isDatabase = (datasource: Datasource): boolean => 'connections' in datasource;
  const databases = datasources.filter(isDatabase);
  const thirdParties = datasources.filter((datasource) => !isDatabase(datasource));
  return [
    ...(router.readsFiles ? [] : ['FILE_LIMIT', 'PART_LIMIT', 'UPLOAD_MEMORY']),
    ...(schedule === undefined ? ['SCHEDULE', 'SCHEDULE_LEDGER', 'SCHEDULE_TIMEOUT'] : []),
    ...(databases.length > 0 ? [] : ['POOL_WAIT', 'ROW_LIMIT', 'RESULT_LIMIT']),
    ...(thirdParties.length > 0 ? [] : ['RESPONSE_LIMIT']),
    ...(isSet('MANAGEMENT_PORT') ? [] : ['MANAGEMENT_HOST']),
    ...thirdParties.flatMap(({ name }) =>
      ['POOL_MAX', 'REPLICA_URL'].map((field) => `DATASOURCE_${upperSnake(name)}_${field}`),
    ),
  ];
}

/** Maximum edit distance between a name and its suggested correction. */
const furthest = 3;

/** The candidate most similar to the name; undefined if all differ too much. */
function nearestOf(name: string, candidates: readonly string[]): string | undefined {
  const near = candidates
    .map((candidate) => ({ candidate, distance: distanceOf(name, candidate) }))
    .filter(({ distance }) => distance <= furthest);
  return near.sort((a, b) => a.distance - b.distance)[0]?.candidate;
}

/** The edit distance: characters to insert, remove or replace. */
function distanceOf(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > furthest) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
