/** Query parameters and bodies that the API description declares and nothing reads. */
import type { Operation } from '../../../read/config/config-model.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Span } from '../../../read/source.js';
import { rule } from '../rule.js';

export const unreadParameter = rule(
  {
    'unread-parameter': warning((p: { name: string; written: string; declared: Span }) => ({
      message: `Parameter '${p.name}' of the API description is never read.`,
      hint: `Read ${p.written}, or remove the parameter from the description.`,
      related: [{ span: p.declared, message: 'declared here' }],
    })),
    'unread-body': warning((p: { written: string; declared: Span }) => ({
      message: 'The body of the API description is never read.',
      hint: `Read ${p.written}, or remove the body from the description.`,
      related: [{ span: p.declared, message: 'declared here' }],
    })),
  },
  ({ analysis, report, hasErrors }) => {
    const names = new Map<Operation, string[]>();
    const bodies = new Set<Operation>();
    return {
      operation: (operation) => {
        names.set(operation, []);
      },
      param: ({ name }, { operation }) => {
        names.get(operation)?.push(name);
      },
      body: (_, { operation }) => {
        bodies.add(operation);
      },
      'multipart-file': (_, { operation }) => {
        bodies.add(operation);
      },
      end: () => {
        if (hasErrors()) return;
        for (const { operation, endpoint } of analysis.operations) {
          if (endpoint === undefined) continue;
          const called = [...analysis.withCalled(operation)];
          const read = called.flatMap((one) => names.get(one) ?? []);
          const isA = operation.syntax === 'A';
          const { span } = operation.name;
          for (const { name, in: location, schema, span: declared } of endpoint.parameters) {
            const isRead = read.some(
              (one) => one === name || one.startsWith(`${name}[`) || schema?.properties.has(one) === true,
            );
            if (location === 'query' && !isRead)
              report('unread-parameter', span, {
                name,
                written: isA ? `PARAM(${name})` : `param.${name}`,
                declared,
              });
          }
          const isForm = endpoint.body?.form !== undefined;
          if (endpoint.body !== undefined && !isForm && !called.some((one) => bodies.has(one))) {
            const [field = '<field>'] = endpoint.body.json?.properties.keys() ?? [];
            const written = isA ? `BODY($.${field})` : `body.${field}`;
            report('unread-body', span, { written, declared: endpoint.body.span });
          }
        }
      },
    };
  },
);
