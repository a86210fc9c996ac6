/** PARAM and BODY in an operation that only its triggers start: there is no request (decisions 10.2). */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule, type NodeSite } from '../rule.js';

export const timedParameter = rule(
  {
    'timed-parameter': warning((p: { what: string }) => ({
      message: `${p.what} is always null here: only a trigger starts this operation.`,
      hint: 'Write the value itself; or name the operation like an endpoint, or call it by reference with this value.',
    })),
  },
  ({ analysis, report }) => {
    let seen = new Set<string>();
    const isTimed = ({ operation }: NodeSite): boolean =>
      operation.triggers.length > 0 &&
      operation.endpoint === undefined &&
      !analysis.called.has(operation.name.value);
    return {
      operation: () => {
        seen = new Set();
      },
      param: ({ name, span }, site) => {
        if (!isTimed(site) || seen.has(name)) return;
        seen.add(name);
        report('timed-parameter', span, { what: `The parameter '${name}'` });
      },
      body: ({ span }, site) => {
        if (!isTimed(site) || seen.has('')) return;
        seen.add('');
        report('timed-parameter', span, { what: 'The body' });
      },
    };
  },
);
