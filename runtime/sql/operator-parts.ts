/** The parts that only settings ask for, of services with databases: also several hosts in a URL, and DATASOURCE_<NAME>_REPLICA_URL. */
import type { OperatorParts } from '../server/contracts.js';
import { operatorParts as ofAll } from '../server/operator-parts.js';

/** A list of hosts, or an option that is about them; a password may look like it. */
const mayBeSeveral = /,|targetservertype|loadbalance/i;

export const operatorParts: OperatorParts = {
  ...ofAll,
  async severalServers({ datasources }) {
    const isAsked = [...datasources.values()].some(
      ({ url, replicaUrl }) => replicaUrl !== undefined || mayBeSeveral.test(url),
    );
    return isAsked ? (await import('./several-servers.js')).severalServers : undefined;
  },
};
