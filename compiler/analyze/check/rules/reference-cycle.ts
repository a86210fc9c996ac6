/** Operations that call each other in a cycle, reported once, at the call that closes it (decisions 7.6). */
import type { Operation } from '../../../read/config/config-model.js';
import { referencesOf } from '../../../read/config/walk.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const referenceCycle = rule(
  {
    'reference-cycle': warning((p: { cycle: string }) => ({
      message: `Cyclic calls: ${p.cycle}.`,
      hint: "Make sure that an 'if' ends the cycle: beyond 32 nested calls the response is 500.",
    })),
  },
  ({ analysis, report }) => {
    const done = new Set<Operation>();
    const path: Operation[] = [];
    const follow = (operation: Operation): void => {
      path.push(operation);
      for (const { operationName } of referencesOf(operation)) {
        const called = operationName.value === '' ? undefined : analysis.operation(operationName.value);
        if (called === undefined) continue;
        const start = path.indexOf(called);
        if (start !== -1) {
          const cycle = [...path.slice(start), called].map(({ name }) => `'${name.value}'`).join(' → ');
          report('reference-cycle', operationName.span, { cycle });
        } else if (!done.has(called)) {
          follow(called);
        }
      }
      path.pop();
      done.add(operation);
    };
    return {
      operation: (operation) => {
        if (!done.has(operation)) follow(operation);
      },
    };
  },
);
