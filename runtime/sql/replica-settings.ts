/** The settings that a driver connects to a replica with. */
import {
  connectionOf,
  hostsOf,
  readUrl,
  warningsOf,
  type ConnectionSettings,
  type DatabaseDefinition,
  type DatabaseSettings,
} from './connection-settings.js';
import type { DatabaseKind } from './jdbc-url.js';

/** Options that describe the hosts of their URL. */
const ofHosts = /^(?:targetservertype|loadbalancehosts)$/i;

/**
 * The settings of the replica. Anything missing from its URL is copied from the settings of the datasource. Even a single host is treated
 * as one of several, so that a hanging server is noticed before its statements reach their time limit. Throws a DatasourceStartError.
 */
export function readReplicaSettings(
  kind: DatabaseKind,
  definition: DatabaseDefinition,
  settings: DatabaseSettings,
  primary: ConnectionSettings,
  replicaUrl: string,
): { readonly connection: ConnectionSettings; readonly warnings: readonly string[] } {
  const own = readUrl(replicaUrl, kind);
  const [address = '', ...options] = replicaUrl.trim().split('?');
  const [, ...ofPrimary] = settings.url.trim().split('?');
  const inherited = ofPrimary
    .join('?')
    .split('&')
    .filter((option) => !ofHosts.test(option.split('=')[0] ?? ''));
  // If an option is repeated, its last value counts.
  const url = readUrl(`${address}?${[...inherited, ...options].join('&')}`, kind);
  const hosts = hostsOf(url) ?? { all: url.hosts.slice(0, 1), target: 'any', shuffled: false };
  const { user = primary.user, password = primary.password, database = primary.database } = own;
  const connection = connectionOf(url, hosts, { user, password, database }, definition, settings);
  return { connection: { ...connection, isReplica: true }, warnings: warningsOf(own) };
}
