/** All parts that settings use, for services that tests write by hand. */
import type { Features } from '../../runtime/server/contracts.js';

export const features: Features = {
  workers: () => import('../../runtime/workers/workers.js'),
  management: () => import('../../runtime/management/observe.js'),
  cors: () => import('../../runtime/http/cors.js'),
  compression: () => import('../../runtime/http/compression.js'),
  servers: () => import('../../runtime/sql/several-servers.js'),
};
