/** Hosts chosen by requests to the service. */
import { allSteps, type ServiceView } from '../explain/service-view.js';
import { printExpression } from '../../read/expression/print-expression.js';
import { isOfRequest } from './request-values.js';
import type { Risk } from './risk.js';

/** `check` warns about every URL that is a value; only URLs from the request can be chosen by any caller. */
export function requestHosts({ operations }: ServiceView): Risk[] {
  return operations.flatMap((operation) =>
    allSteps(operation).flatMap(({ viewed, loops }) => {
      if (viewed.kind !== 'data') return [];
      const loop = loops.at(-1)?.checked.written;
      return viewed.checked.instructions.flatMap(({ action }): Risk | [] => {
        if (action.kind !== 'request' || action.url.kind !== 'whole') return [];
        const { value } = action.url;
        const { url } = action.request;
        if (url === undefined || !isOfRequest(value, operation.checked.operation, loop)) return [];
        return {
          rule: 'host-from-input',
          severity: 'high',
          span: url.span,
          message: `The request chooses which server this service calls, also inside your network: ${printExpression(value, operation.plan.syntax)}.`,
          hint: 'Write the host here or in the url of the datasource, and read only the path from the request; or look up the URL by a key.',
        };
      });
    }),
  );
}
