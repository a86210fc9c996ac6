/** READs with a method that changes something, and UPDATEs with one that does not (RFC 9110, 9.2.1). A search may be a POST. */
import type { DataFulfillment, Request } from '../../../read/config/config-model.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const readMethod = rule(
  {
    'read-method': warning((p: { method: string }) => ({
      message: `A READ sends ${p.method}, which changes data.`,
      hint: 'Write type: UPDATE, or httpType: GET.',
    })),
    'update-method': warning((p: { method: string }) => ({
      message: `An UPDATE sends ${p.method}, which changes nothing.`,
      hint: 'Write type: READ, or the method that changes something, such as POST.',
    })),
  },
  ({ report }) => {
    const updates: { readonly request: Request; readonly fulfillment: DataFulfillment }[] = [];
    const read = new Set<unknown>();
    return {
      request: (request, { fulfillment }) => {
        const { value: method, span } = request.httpType;
        if (fulfillment.type === 'READ' && /^(?:PUT|PATCH|DELETE)$/.test(method))
          report('read-method', span, { method });
        if (fulfillment.type === 'UPDATE' && /^(?:GET|HEAD)$/.test(method) && passesNothing(request))
          updates.push({ request, fulfillment });
      },
      node: (node, { scope }) => {
        if (node.kind === 'value' || node.kind === 'result') read.add(scope.visible.get(node.name));
      },
      end: () => {
        // If nothing reads the response, the request is sent for its effect.
        for (const { request, fulfillment } of updates) {
          const { value: method, span } = request.httpType;
          if (read.has(fulfillment)) report('update-method', span, { method });
        }
      },
    };
  },
);

/** A GET with values in its URL may change something after all, and be an UPDATE so that it is never sent twice. */
function passesNothing({ url }: Request): boolean {
  return url?.value.every((part) => typeof part === 'string' && !part.includes('?')) === true;
}
