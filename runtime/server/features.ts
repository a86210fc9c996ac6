/** The parts that only some settings use: a service has those of `settings.features` in its configuration. */
import type { Features } from './contracts.js';
import { StartError } from './environment.js';
import type { Settings } from './settings.js';

/** Throws a StartError for settings whose parts the service does not have. */
export function checkFeatures(
  features: Features,
  { workers, managementPort, corsOrigins, compression }: Settings,
): void {
  const uses: readonly [feature: keyof Features, setting: string, isSet: boolean][] = [
    ['workers', 'WORKERS', workers > 1],
    ['management', 'MANAGEMENT_PORT', managementPort !== undefined],
    ['cors', 'CORS_ORIGIN', corsOrigins.length > 0],
    ['compression', 'COMPRESSION', compression],
  ];
  const missing = uses.filter(([feature, , isSet]) => isSet && features[feature] === undefined);
  if (missing.length === 0) return;
  const settings = missing.map(([, setting]) => setting).join(', ');
  const all = [...Object.keys(features), ...missing.map(([feature]) => feature)].join(', ');
  throw new StartError([
    `This service was built without what ${settings} ${missing.length === 1 ? 'needs' : 'need'}: write 'features: [${all}]' in the settings of its configuration, and build it again`,
  ]);
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
