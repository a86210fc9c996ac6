/** Every operation with an API trigger has one default response (specification, Response; decisions 7.8). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const missingDefaultResponse = rule(
  {
    'missing-default-response': error((p: { name: string; hasResponses: boolean }) => ({
      message: `Operation '${p.name}' has no default response.`,
      hint: p.hasResponses
        ? "Write 'default: true' in one of its responses."
        : 'Add responses: [{ name: ok, default: true, statuscode: 200 }]',
    })),
  },
  ({ report }) => ({
    operation: ({ name, endpoint, responses, fields }) => {
      if (endpoint === undefined || responses.some((response) => response.default)) return;
      // Where responses could not be read, the default one may be among them.
      const isReported =
        (responses.length === 0 && fields.has('responses')) ||
        responses.some((response) => !response.isDefaultKnown);
      if (!isReported)
        report('missing-default-response', fields.get('responses') ?? name.span, {
          name: name.value,
          hasResponses: responses.length > 0,
        });
    },
  }),
);
