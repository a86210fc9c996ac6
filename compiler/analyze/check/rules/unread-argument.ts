/** Parameters of a reference call that the called operation does not read (specification, Reference call). */
import type { Operation } from '../../../read/config/config-model.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import { rule } from '../rule.js';

export const unreadArgument = rule(
  {
    'unread-argument': warning(
      (p: { name: string; called: string; names: readonly string[]; nearest: string | undefined }) => ({
        message: `'${p.called}' does not read the parameter '${p.name}'.`,
        hint:
          p.nearest !== undefined
            ? `Did you mean '${p.nearest}'?`
            : p.names.length === 0
              ? 'Remove it: the operation reads no parameters.'
              : `Remove it: the operation reads only ${p.names.map((name) => `'${name}'`).join(', ')}.`,
      }),
    ),
  },
  ({ analysis, report, hasErrors }) => {
    /** The names that PARAM reads, and `body` for BODY. */
    const read = new Map<Operation, Set<string>>();
    return {
      operation: (operation) => {
        read.set(operation, new Set());
      },
      param: ({ name }, { operation }) => {
        read.get(operation)?.add(name);
      },
      body: (_, { operation }) => {
        read.get(operation)?.add('body');
      },
      end: () => {
        if (hasErrors()) return;
        for (const { fulfillment } of analysis.operations.flatMap(({ fulfillments }) => fulfillments)) {
          if (fulfillment.type !== 'REFERENCE') continue;
          const { operationName, parameters } = fulfillment;
          const called = analysis.operation(operationName.value);
          if (called === undefined) continue;
          const names = new Set(
            [...analysis.withCalled(called)].flatMap((one) => [...(read.get(one) ?? [])]),
          );
          const passed = parameters.map(({ name }) => name.value);
          const free = [...names].filter((name) => !passed.includes(name));
          for (const { name } of parameters) {
            if (names.has(name.value)) continue;
            report('unread-argument', name.span, {
              ...{ name: name.value, called: operationName.value, names: [...names] },
              nearest: nearest(name.value, free),
            });
          }
        }
      },
    };
  },
);
