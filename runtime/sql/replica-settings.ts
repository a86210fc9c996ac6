/** The settings for connections to a replica. */
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

/** Options that concern the hosts of their URL. */
const ofHosts = /^(?:targetservertype|loadbalancehosts)$/i;

/**
 * The settings of the replica. Options missing from its URL are copied from the settings of the datasource. A single host is treated
 * like several hosts, so that a hanging server is noticed before its statements time out. Throws a DatasourceStartError.
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
  // The last value of a repeated option wins.
  const url = readUrl(`${address}?${[...inherited, ...options].join('&')}`, kind);
  const hosts = hostsOf(url) ?? { all: url.hosts.slice(0, 1), target: 'any', shuffled: false };
  const { user = primary.user, password = primary.password, database = primary.database } = own;
  const connection = connectionOf(url, hosts, { user, password, database }, definition, settings);
  return { connection: { ...connection, isReplica: true }, warnings: warningsOf(own) };
}
