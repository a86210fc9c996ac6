/** Responses whose status code the API description does not have for their endpoint. */
import { describedEndpoint, describedStatus } from '../../mapping/described.js';
import type { Rule } from '../rule.js';

export const undescribedStatus: Rule = ({ operations }, report, description) => {
  for (const operation of operations) {
    const endpoint = describedEndpoint(operation, description);
    if (endpoint === undefined || endpoint.responses.size === 0) continue;
    for (const response of operation.responses) {
      if (describedStatus(response, endpoint) !== undefined) continue;
      report.add('undescribed-status', response.statuscode.place, {
        status: response.statuscode.value,
        operation: operation.name.value,
        statuses: [...endpoint.responses.keys()],
      });
    }
  }
};
