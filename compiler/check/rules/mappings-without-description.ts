/** Mappings where there is no API description, whose models they are about (decisions 8.1). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const mappingsWithoutDescription = rule(
  {
    'mappings-without-description': error(() => ({
      message:
        "'mappings' are about the models of the API description, and there is none beside the configuration.",
      hint: "Put openapi.yaml beside it or name the file on the command line; or build the body with 'schema' in the response.",
    })),
  },
  ({ analysis, report }) => ({
    operation: ({ endpoint, fields }) => {
      const place = fields.get('mappings');
      if (place !== undefined && endpoint !== undefined && analysis.description === undefined)
        report('mappings-without-description', place);
    },
  }),
);
