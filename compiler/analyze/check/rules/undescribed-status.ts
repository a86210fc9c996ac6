/** Responses whose status code the API description does not have for their endpoint. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { describedStatus } from '../../mapping/described.js';
import { rule } from '../rule.js';

export const undescribedStatus = rule(
  {
    'undescribed-status': warning(
      (p: { status: number; operation: string; statuses: readonly string[] }) => ({
        message: `The API description has no response ${p.status} for '${p.operation}'.`,
        hint: `It has ${p.statuses.join(', ')}: write one of these, or describe ${p.status}.`,
      }),
    ),
  },
  ({ report }) => ({
    response: (response, { operation, analyzed: { endpoint } }) => {
      if (endpoint === undefined || endpoint.responses.size === 0) return;
      if (describedStatus(response, endpoint) !== undefined) return;
      report('undescribed-status', response.statuscode.span, {
        status: response.statuscode.value,
        operation: operation.name.value,
        statuses: [...endpoint.responses.keys()],
      });
    },
  }),
);
