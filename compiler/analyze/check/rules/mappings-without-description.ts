/** Mappings without an API description, whose models they build (decisions 8.1). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const mappingsWithoutDescription = rule(
  {
    'mappings-without-description': error(() => ({
      message: "'mappings' need an API description, and there is none.",
      hint: "Put openapi.yaml beside the configuration, or pass --openapi <file>; or build the body with 'schema' in the response.",
    })),
  },
  ({ analysis, report }) => ({
    operation: ({ endpoint, fields }) => {
      const span = fields.get('mappings');
      if (span !== undefined && endpoint !== undefined && analysis.description === undefined)
        report('mappings-without-description', span);
    },
  }),
);
