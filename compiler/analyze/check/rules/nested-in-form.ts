/** Values of a form that are maps: a form has one string for each field. */
import type { Schema } from '../../../read/config/config-model.js';
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const nestedInForm = rule(
  {
    'nested-in-form': error((p: { key: string; inner: string | undefined }) => ({
      message: `The field '${p.key}' of a form cannot hold a map.`,
      hint:
        p.inner === undefined
          ? "Write an expression for each field, or 'contentType: json'."
          : `Many APIs read '${p.key}[${p.inner}]': write such a field for each value, or 'contentType: json'.`,
    })),
    'form-without-fields': error(() => ({
      message: 'The schema of a form must be a map of its fields.',
      hint: "Write a line for each field, such as 'id: PARAM(id)'. To send this value as JSON, write 'contentType: json'.",
    })),
  },
  ({ report }) => ({
    request: ({ body, bodyType }) => {
      if (bodyType !== 'form' || body === undefined) return;
      if (body.kind !== 'object') {
        const span = body.kind === 'leaf' ? body.value.span : body.list.span;
        report('form-without-fields', span);
        return;
      }
      for (const { key, value, span } of body.fields) {
        if (isPlain(value)) continue;
        const inner = value.kind === 'object' ? value.fields[0]?.key : undefined;
        report('nested-in-form', span, { key, inner });
      }
    },
  }),
);

/** An expression, or a list of them. */
function isPlain(value: Schema): boolean {
  return value.kind === 'leaf' || (value.kind === 'array' && value.item.kind === 'leaf');
}
