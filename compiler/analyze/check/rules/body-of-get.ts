/** BODY in an operation that GET or HEAD starts: hardly a client sends a body with them. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Syntax } from '../../../read/expression/ast.js';
import { rule } from '../rule.js';

export const bodyOfGet = rule(
  {
    'body-of-get': warning((p: { method: string; instead: string }) => ({
      message: `This is usually null: few clients send a body with ${p.method}.`,
      hint: `Write ${p.instead} for a value in the URL. For a body use another method, such as POST.`,
    })),
  },
  ({ analysis, report }) => {
    const reported = new Set<string>();
    /** Parts of the file that operations of other methods use too, by an alias. */
    const shared = new Set(
      analysis.config.operations.flatMap(({ endpoint, fulfillments }) =>
        endpoint !== undefined && /^(?:GET|HEAD)$/.test(endpoint.method)
          ? []
          : fulfillments.map(({ name }) => name.span.start),
      ),
    );
    return {
      body: ({ span, path }, { operation, analyzed }) => {
        const { endpoint, name, fulfillments, syntax } = operation;
        const method = endpoint?.method ?? '';
        if (!/^(?:GET|HEAD)$/.test(method) || analyzed.endpoint?.body !== undefined) return;
        const isShared = fulfillments.some((one) => shared.has(one.name.span.start));
        if (isShared || analysis.called.has(name.value) || reported.has(name.value)) return;
        reported.add(name.value);
        const first = path[0]?.kind === 'name' ? path[0].name : undefined;
        report('body-of-get', span, {
          method,
          instead: readOf(first, syntax),
        });
      },
    };
  },
);

/** How a parameter is read; any one where the whole body was. */
function readOf(name: string | undefined, syntax: Syntax): string {
  if (name === undefined) return `a parameter, such as ${readOf('id', syntax)},`;
  return syntax === 'A' ? `PARAM(${name})` : `param.${name}`;
}
