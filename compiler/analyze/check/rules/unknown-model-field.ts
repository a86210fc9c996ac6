/** Mapped fields that their model does not have (decisions 8.1). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { isUnambiguous } from '../../../read/diagnostics/suggest.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { rule } from '../rule.js';

export const unknownModelField = rule(
  {
    'unknown-model-field': error(
      (p: {
        model: string;
        field: string;
        nearest: string | undefined;
        fields: readonly string[];
        /** The model of the entries, where the model is a list. */
        items: string | undefined;
      }) => ({
        message: `Model '${p.model}' has no field '${p.field}' in the API description.`,
        hint:
          p.items !== undefined
            ? `'${p.model}' is a list. Map '${p.items}', the model of its items.`
            : p.nearest !== undefined
              ? `Did you mean '${p.nearest}'?`
              : p.fields.length > 0
                ? `Its fields are ${quotedList(p.fields.slice(0, 20))}.`
                : undefined,
        instead: p.items === undefined ? p.nearest : undefined,
        isSuggestion: !isUnambiguous(p.field, p.fields),
      }),
    ),
  },
  ({ report }) => ({
    operation: ({ endpoint }, { analyzed }) => {
      if (endpoint === undefined) return;
      for (const { written, meant, model, fields, items } of analyzed.meant?.unknownFields ?? [])
        report('unknown-model-field', written.span, {
          model,
          field: written.value,
          nearest: meant,
          fields,
          items,
        });
    },
  }),
);
