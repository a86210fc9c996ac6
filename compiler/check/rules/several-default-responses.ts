/** An operation has one default response (specification, Response). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const severalDefaultResponses = rule(
  {
    'several-default-responses': error((p: { name: string; other: string }) => ({
      message: `An operation has one default response, and '${p.other}' is one already.`,
      hint: `Write 'default: false' and an 'if' for '${p.name}'.`,
    })),
  },
  ({ report }) => ({
    operation: ({ responses }) => {
      const [first, ...others] = responses.filter((response) => response.default);
      for (const { name, fields } of others) {
        report('several-default-responses', fields.get('default') ?? name.place, {
          name: name.value,
          other: first?.name.value ?? '',
        });
      }
    },
  }),
);
