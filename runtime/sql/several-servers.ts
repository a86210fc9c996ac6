/** Several servers of one datasource, for services whose settings name them. */
import { DatasourceStartError } from './connection-settings.js';
import { driverOf } from './hosts.js';
import { Replica } from './replica.js';
import { readReplicaSettings } from './replica-settings.js';
import type { AskedReplica, SeveralServers } from './run-alone.js';

export const severalServers: SeveralServers = {
  driverOf,
  openReplica(asked) {
    const { connection, warnings } = settingsOf(asked);
    const ofReplica = (warning: string): string => `Replica: ${warning}`;
    const warn = (warning: string): void => {
      asked.warn(ofReplica(warning));
    };
    return { replica: new Replica(asked.open(connection, warn), warn), warnings: warnings.map(ofReplica) };
  },
};

function settingsOf({
  kind,
  definition,
  settings,
  primary,
  url,
}: AskedReplica): ReturnType<typeof readReplicaSettings> {
  try {
    return readReplicaSettings(kind, definition, settings, primary, url);
  } catch (error) {
    if (!(error instanceof DatasourceStartError)) throw error;
    throw new DatasourceStartError(`its replica: ${error.message}`);
  }
}
