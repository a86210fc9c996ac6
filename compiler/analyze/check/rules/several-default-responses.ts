/** An operation has one default response (specification, Response). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Span } from '../../../read/source.js';
import { rule } from '../rule.js';

export const severalDefaultResponses = rule(
  {
    'several-default-responses': error(
      (p: { name: string; other: string; hasIf: boolean; first: Span | undefined }) => ({
        message: `Second default response: '${p.other}' is the default already.`,
        hint: p.hasIf ? "Write 'default: false'." : `Write 'default: false' and an 'if' for '${p.name}'.`,
        related: p.first && [{ span: p.first, message: 'the first default response' }],
      }),
    ),
  },
  ({ report }) => ({
    operation: ({ responses }) => {
      const [first, ...others] = responses.filter((response) => response.default);
      for (const { name, fields } of others) {
        report('several-default-responses', fields.get('default') ?? name.span, {
          name: name.value,
          other: first?.name.value ?? '',
          hasIf: fields.has('if'),
          first: first && (first.fields.get('default') ?? first.name.span),
        });
      }
    },
  }),
);
