/** Mappings of a model that the API description does not have (decisions 8.1). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { isUnambiguous } from '../../../read/diagnostics/suggest.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { rule } from '../rule.js';

export const unknownModel = rule(
  {
    'unknown-model': error((p: { name: string; nearest: string | undefined; names: readonly string[] }) => ({
      message: `Unknown model '${p.name}' in the API description.`,
      hint:
        p.nearest !== undefined
          ? `Did you mean '${p.nearest}'?`
          : p.names.length > 0
            ? `Its models are ${quotedList(p.names.slice(0, 10))}.`
            : "Models are the schemas under 'components' of the API description.",
      instead: p.nearest,
      isSuggestion: !isUnambiguous(p.name, p.names),
    })),
  },
  ({ analysis, report }) => ({
    operation: ({ endpoint }, { analyzed }) => {
      if (endpoint === undefined) return;
      for (const { written, meant } of analyzed.meant?.unknownModels ?? []) {
        report('unknown-model', written.span, {
          name: written.value,
          nearest: meant,
          names: [...(analysis.description?.models.keys() ?? [])],
        });
      }
    },
  }),
);
