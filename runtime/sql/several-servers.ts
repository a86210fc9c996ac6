/** Support for several servers of one datasource; only loaded if the settings require it. */
import { DatasourceStartError } from './connection-settings.js';
import { driverOf } from './hosts.js';
import { Replica } from './replica.js';
import { readReplicaSettings } from './replica-settings.js';
import type { AskedServers, SeveralServers } from './run-alone.js';

export const severalServers: SeveralServers = {
  open(asked) {
    const { system, settings, connection, warn } = asked;
    const primary = asked.open(connection, driverOf(system, connection, warn));
    const { replicaUrl } = settings;
    if (replicaUrl === undefined) return { opened: primary, warnings: [] };
    const ofReplica = (warning: string): string => `Replica: ${warning}`;
    /** Called when READs move to the primary for a while, and when they return. */
    const warnOf = (warning: string): void => {
      warn(ofReplica(warning));
    };
    const own = settingsOf(asked, replicaUrl);
    const opened = asked.open(own.connection, driverOf(system, own.connection, warnOf));
    const replica = new Replica(opened, warnOf);
    return { opened: { ...primary, replica }, warnings: own.warnings.map(ofReplica) };
  },
};

function settingsOf(
  { system, definition, settings, connection }: AskedServers,
  url: string,
): ReturnType<typeof readReplicaSettings> {
  try {
    return readReplicaSettings(system.kind, definition, settings, connection, url);
  } catch (error) {
    if (!(error instanceof DatasourceStartError)) throw error;
    throw new DatasourceStartError(`its replica: ${error.message}`);
  }
}
