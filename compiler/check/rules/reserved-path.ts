/** An operation on one of the fixed endpoints (decisions 9.5). */
import { isWrittenEndpoint } from '../../config/operation-name.js';
import type { Rule } from '../rule.js';

const reserved = /^\/(?:docs-ui|v3\/api-docs)(?:[/.]|$)/;

export const reservedPath: Rule = ({ operations }, report) => {
  for (const { name, endpoint } of operations) {
    if (endpoint !== undefined && isWrittenEndpoint(name.value, endpoint) && reserved.test(endpoint.path)) {
      report.add('reserved-path', name.place, { path: endpoint.path });
    }
  }
};
