/** Names of fulfillments that expressions could not read. */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import type { Syntax } from '../../expression/ast.js';
import { rule } from '../rule.js';

export const unnamedFulfillment = rule(
  {
    'unnamed-fulfillment': error((p: { name: string }) => ({
      message: `Invalid fulfillment name '${p.name}': expressions cannot read it.`,
      hint: "Use letters, digits, '_' and '-', beginning with a letter.",
    })),
  },
  ({ report }) => ({
    fulfillment: ({ name: { value: name, place } }, { operation }) => {
      if (name !== '' && !isReadableName(name, operation.syntax))
        report('unnamed-fulfillment', place, { name });
    },
  }),
);

const readable = { A: /^[^\s(),:[\]'"@$][^(),[\]'"]*$/, B: /^[\p{L}_][\p{L}\p{N}_-]*$/u };

/** Whether an expression of that syntax can hold the name. */
function isReadableName(name: string, syntax: Syntax): boolean {
  return readable[syntax].test(name);
}
