/** Responses without a body where the API description promises one. */
import type { Response } from '../../../read/config/config-model.js';
import { neverHasBody } from '../../../read/config/status.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { ApiEndpoint } from '../../../read/openapi/api-model.js';
import { rule } from '../rule.js';

export const responseWithoutBody = rule(
  {
    'response-without-body': warning((p: { name: string; status: string }) => ({
      message: `Response '${p.name}' has no body, but the API description has one for status ${p.status}.`,
      hint: "Add a 'schema', map the model (Syntax B), or remove 'content' from the API description.",
    })),
  },
  ({ report }) => ({
    operation: ({ responses, mappings }, { analyzed }) => {
      const { endpoint, mapped } = analyzed;
      if (endpoint === undefined || endpoint.method === 'HEAD') return;
      // What keeps mappings from being used has been reported.
      if (mapped.findings.hasErrors || (mappings.length > 0 && mapped.bodies.size === 0)) return;
      for (const response of responses) {
        const isUsed = response.default || response.if !== undefined;
        if (!isUsed || response.fields.has('schema') || mapped.bodies.has(response)) continue;
        const status = promisedStatus(response, endpoint);
        if (status !== undefined)
          report('response-without-body', response.name.span, { name: response.name.value, status });
      }
    },
  }),
);

/** The status or range under which the description has a JSON body; `default` is mostly that of errors. */
function promisedStatus({ statuscode }: Response, { responses }: ApiEndpoint): string | undefined {
  if (neverHasBody(statuscode.value)) return undefined;
  const status = String(statuscode.value);
  const found = [status, `${status.charAt(0)}XX`].find((key) => responses.has(key));
  return responses.get(found ?? '')?.json === undefined ? undefined : found;
}
