/** Responses without a body where the API description promises one. */
import type { Operation, Response } from '../../config/config-model.js';
import { neverHasBody } from '../../config/status.js';
import { Report } from '../../diagnostics/report.js';
import { describedEndpoint } from '../../mapping/described.js';
import { mappedResponses } from '../../mapping/mapped-responses.js';
import type { ApiDescription, ApiEndpoint } from '../../openapi/api-model.js';
import type { Rule } from '../rule.js';

export const responseWithoutBody: Rule = ({ operations }, report, description) => {
  for (const operation of operations) checkOperation(operation, description, report);
};

function checkOperation(operation: Operation, description: ApiDescription | undefined, report: Report): void {
  const endpoint = describedEndpoint(operation, description);
  if (endpoint === undefined || endpoint.method === 'HEAD') return;
  const mistakes = new Report();
  const { bodies } = mappedResponses(operation, description, mistakes);
  // What keeps mappings from being used has been reported.
  if (mistakes.hasErrors || (operation.mappings.length > 0 && bodies.size === 0)) return;
  for (const response of operation.responses) {
    const isUsed = response.default || response.if !== undefined;
    if (!isUsed || response.fields.has('schema') || bodies.has(response)) continue;
    const status = promisedStatus(response, endpoint);
    if (status !== undefined)
      report.add('response-without-body', response.name.place, { name: response.name.value, status });
  }
}

/** The status or range under which the description has a JSON body; `default` is mostly that of errors. */
function promisedStatus({ statuscode }: Response, { responses }: ApiEndpoint): string | undefined {
  if (neverHasBody(statuscode.value)) return undefined;
  const status = String(statuscode.value);
  const found = [status, `${status.charAt(0)}XX`].find((key) => responses.has(key));
  return responses.get(found ?? '')?.json === undefined ? undefined : found;
}
