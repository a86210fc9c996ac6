/** Responses that are not the default and have no condition (decisions 7.8). */
import { warning } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const responseNeverUsed = rule(
  {
    'response-never-used': warning((p: { name: string }) => ({
      message: `Response '${p.name}' is never used: it is not the default and has no 'if'.`,
      hint: "Give it an 'if', or take it away.",
    })),
  },
  ({ report }) => ({
    response: ({ name, default: isDefault, isDefaultKnown, fields }) => {
      if (!isDefault && isDefaultKnown && !fields.has('if'))
        report('response-never-used', name.place, { name: name.value });
    },
  }),
);
