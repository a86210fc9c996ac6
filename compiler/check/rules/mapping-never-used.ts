/** Mappings that no response uses, where nothing is wrong that could be why. */
import { warning } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';
import { isUseKnown } from '../use-of-mappings.js';

export const mappingNeverUsed = rule(
  {
    'mapping-never-used': warning((p: { model: string; operation: string }) => ({
      message: `The mapping of '${p.model}' is never used: no response of '${p.operation}' is built from it.`,
      hint: "A response is built from mappings when it has no 'schema', and the API description has a JSON body with that model for its status code.",
    })),
  },
  ({ report }) => ({
    operation: ({ name }, { analyzed }) => {
      if (!isUseKnown(analyzed)) return;
      for (const mapping of analyzed.mappings ?? []) {
        const { model } = mapping;
        if (!analyzed.mapped.mappings.has(mapping))
          report('mapping-never-used', model.place, { model: model.value, operation: name.value });
      }
    },
  }),
);
