/** Responses that are not the default and have no condition (decisions 7.8). */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const responseNeverUsed = rule(
  {
    'response-never-used': warning((p: { name: string }) => ({
      message: `Unused response '${p.name}': it is not the default and has no 'if'.`,
      hint: "Add an 'if', or remove it.",
    })),
  },
  ({ report }) => ({
    response: ({ name, default: isDefault, isDefaultKnown, fields }, { operation }) => {
      // Where none is the default, that is the error.
      const hasDefault = operation.responses.some((other) => other.default || !other.isDefaultKnown);
      if (hasDefault && !isDefault && isDefaultKnown && !fields.has('if'))
        report('response-never-used', name.span, { name: name.value });
    },
  }),
);
