/** Mappings of an operation that has no endpoint, and so no response in the API description (decisions 8.1). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const mappingsWithoutEndpoint = rule(
  {
    'mappings-without-endpoint': error((p: { operation: string }) => ({
      message: `Operation '${p.operation}' has no endpoint, so the API description has no response that its 'mappings' could build.`,
      hint: "Build its result with 'schema' in its response.",
    })),
  },
  ({ report }) => ({
    operation: ({ name, endpoint, fields }) => {
      const place = fields.get('mappings');
      if (place !== undefined && endpoint === undefined)
        report('mappings-without-endpoint', place, { operation: name.value });
    },
  }),
);
