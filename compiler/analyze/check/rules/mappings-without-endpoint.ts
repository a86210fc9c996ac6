/** Mappings of an operation that has no endpoint, and so no response in the API description (decisions 8.1). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const mappingsWithoutEndpoint = rule(
  {
    'mappings-without-endpoint': error((p: { operation: string }) => ({
      message: `'mappings' need an endpoint, and operation '${p.operation}' has none.`,
      hint: "Build its result with 'schema' in its response.",
    })),
  },
  ({ report }) => ({
    operation: ({ name, endpoint, fields }) => {
      const span = fields.get('mappings');
      if (span !== undefined && endpoint === undefined)
        report('mappings-without-endpoint', span, { operation: name.value });
    },
  }),
);
