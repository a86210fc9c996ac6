/** `index` without iterations (specification, Loop). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const indexOutsideLoop = rule(
  {
    'index-outside-loop': error((p: { read: string }) => ({
      message: "'index' is only allowed inside a loop.",
      hint: `Remove 'index', and read the result with ${p.read}.`,
    })),
  },
  ({ report }) => ({
    fulfillment: ({ type, fields, name }, { loop, operation: { syntax } }) => {
      const span = fields.get('index');
      if (type === 'LOOP' || loop !== undefined || span === undefined) return;
      report('index-outside-loop', span, {
        read: syntax === 'A' ? `VALUE(${name.value}, $)` : name.value,
      });
    },
  }),
);
