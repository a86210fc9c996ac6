/** Mappings that no response uses, where nothing is wrong that could be why. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';
import { isUseKnown } from '../use-of-mappings.js';

export const mappingNeverUsed = rule(
  {
    'mapping-never-used': warning((p: { model: string; operation: string; isOneOfAll: boolean }) => ({
      message: `Unused mapping of '${p.model}': no response of '${p.operation}' has this model.`,
      // Where none is used, there is one reason.
      subject: p.isOneOfAll ? p.operation : undefined,
      hint: "Use the model in a response of the API description, without 'schema' in the configuration; or remove the mapping.",
    })),
  },
  ({ report }) => ({
    operation: ({ name }, { analyzed }) => {
      if (!isUseKnown(analyzed)) return;
      for (const mapping of analyzed.mappings ?? []) {
        const { model } = mapping;
        if (!analyzed.mapped.mappings.has(mapping))
          report('mapping-never-used', model.span, {
            model: model.value,
            operation: name.value,
            isOneOfAll: analyzed.mapped.mappings.size === 0,
          });
      }
    },
  }),
);
