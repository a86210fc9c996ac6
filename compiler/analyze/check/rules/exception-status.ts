/** Exceptions with the status of a success or of a redirect (specification, Exception). */
import type { NestedFulfillment } from '../../operations/analyzed-operation.js';
import type { Fulfillment } from '../../../read/config/config-model.js';
import { neverHasBody } from '../../../read/config/status.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const exceptionStatus = rule(
  {
    'exception-status': warning((p: { status: number }) => ({
      message: `This exception has a success status: ${p.status}.`,
      hint: "Write a status from 400, such as 404. For a success write a response with an 'if' instead of this exception.",
    })),
    'default-status': warning((p: { name: string; status: number }) => ({
      message: `The default response '${p.name}' has an error status: ${p.status}.`,
      hint: 'Use a status such as 200 for it, and an exception for the error.',
    })),
  },
  ({ report }) => ({
    fulfillment: (fulfillment, { analyzed }) => {
      if (isBeforeChange(fulfillment, analyzed.fulfillments)) return;
      for (const { statuscode: status, statusSpan } of fulfillment.exceptions) {
        // A status that never has a body is an error of its own.
        if (status < 400 && !neverHasBody(status)) report('exception-status', statusSpan, { status });
      }
    },
    operation: ({ responses }) => {
      const isAlone = responses.every(({ statuscode }) => statuscode.value >= 400);
      for (const { default: isDefault, name, statuscode } of responses) {
        const status = statuscode.value;
        if (!isDefault || !isAlone || withdrawn.has(status)) continue;
        report('default-status', statuscode.span, { name: name.value, status });
      }
    },
  }),
);

/** The status of an endpoint that no longer exists, or not yet. */
const withdrawn = new Set([410, 501, 503]);

/** Whether the exception may end the operation early because a change is not needed any more: a success. */
function isBeforeChange(fulfillment: Fulfillment, all: readonly NestedFulfillment[]): boolean {
  const at = all.findIndex((one) => one.fulfillment === fulfillment);
  return all.slice(at + 1).some(({ fulfillment: { type } }) => type === 'UPDATE' || type === 'REFERENCE');
}
