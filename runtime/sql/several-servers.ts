/** Several servers of one datasource, for services whose settings name them. */
import { driverOf } from './hosts.js';
import { Replica } from './replica.js';
import type { SeveralServers } from './run-alone.js';

export const severalServers: SeveralServers = {
  driverOf,
  replicaOf: (opened, warn) => new Replica(opened, warn),
};
