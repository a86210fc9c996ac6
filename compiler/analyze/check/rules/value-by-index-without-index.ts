/** VALUE_BY_INDEX of a fulfillment whose results are not stored (decisions 3.8, 7.4). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const valueByIndexWithoutIndex = rule(
  {
    'value-by-index-without-index': error((p: { name: string }) => ({
      message: `Fulfillment '${p.name}' has no 'index' for VALUE_BY_INDEX to read.`,
      hint: `Give '${p.name}' an 'index' inside its loop.`,
    })),
  },
  ({ report }) => {
    /** The names of the fulfillments of the operation that store results. */
    let stored = new Set<string>();
    return {
      operation: (_, { analyzed }) => {
        const all = analyzed.fulfillments.map(({ fulfillment }) => fulfillment);
        stored = new Set(all.filter(({ fields }) => fields.has('index')).map(({ name }) => name.value));
      },
      'value-by-index': ({ name, nameSpan }, { analyzed }) => {
        if (analyzed.loopsByName.has(name) && !stored.has(name))
          report('value-by-index-without-index', nameSpan, { name });
      },
    };
  },
);
