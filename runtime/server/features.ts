/** The parts that only some settings use: a service has those of `settings.features` in its configuration. */
import type { Features } from './contracts.js';
import type { Settings } from './settings.js';

/** A setting of the environment, and the part of the service that it needs. */
type Use = readonly [feature: keyof Features, setting: string];

/** The settings that only a serving process reads. `isAlone`: it has a test page, and is one process whatever WORKERS says. */
export function usesOfServing(
  { workers, managementPort, corsOrigins, compression }: Settings,
  isAlone: boolean,
): Use[] {
  return [
    ...(workers > 1 && !isAlone ? ([['workers', 'WORKERS']] as const) : []),
    ...(managementPort === undefined ? [] : ([['management', 'MANAGEMENT_PORT']] as const)),
    ...(corsOrigins.length > 0 ? ([['cors', 'CORS_ORIGIN']] as const) : []),
    ...(compression ? ([['compression', 'COMPRESSION']] as const) : []),
  ];
}

/** One problem for all settings whose parts the service does not have. */
export function missingFeatures(features: Features, uses: readonly Use[]): string[] {
  const missing = uses.filter(([feature]) => features[feature] === undefined);
  if (missing.length === 0) return [];
  const settings = missing.map(([, setting]) => setting).join(', ');
  const all = [...new Set([...Object.keys(features), ...missing.map(([feature]) => feature)])].join(', ');
  return [
    `This service was built without what ${settings} ${missing.length === 1 ? 'needs' : 'need'}: write 'features: [${all}]' in the settings of its configuration, and build it again`,
  ];
}

/** Settings of a datasource name several servers, and the service does not have the part for them. */
export class SeveralServersError extends Error {
  override readonly name = 'SeveralServersError';

  constructor(
    /** `DATASOURCE_<NAME>_URL`, `DATASOURCE_<NAME>_REPLICA_URL`. */
    readonly settings: readonly string[],
  ) {
    super(`the service was built without what several servers of a database need: ${settings.join(', ')}`);
  }
}

/** A list of hosts, or an option that is about them; a password may look like it. */
const mayBeSeveral = /,|targetservertype|loadbalance/i;

/** The part for databases of several servers, if settings name some and the service has it. */
export async function severalServers(
  { servers }: Features,
  { datasources }: Pick<Settings, 'datasources'>,
): Promise<object | undefined> {
  const isAsked = [...datasources.values()].some(
    ({ url, replicaUrl }) => replicaUrl !== undefined || mayBeSeveral.test(url),
  );
  return isAsked ? (await servers?.())?.severalServers : undefined;
}
