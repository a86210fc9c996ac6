/** VALUE of a LOOP behind it: its element is there while it runs, and it has no result (specification, Loop). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const resultOfLoop = rule(
  {
    'result-of-loop': error((p: { name: string; inside: string | undefined; hasIndex: boolean }) => {
      const read = `VALUE_BY_INDEX(${p.inside ?? ''}, <index>, $)`;
      return {
        message: `This is always null: the LOOP '${p.name}' has no result.`,
        hint:
          p.inside === undefined
            ? 'Read the list that it runs over.'
            : `${p.hasIndex ? `Read ${read}` : `Give '${p.inside}' an 'index' and read ${read}`}, or read the list that the LOOP runs over.`,
      };
    }),
  },
  ({ report }) => ({
    value: ({ name, nameSpan }, { scope }) => {
      const fulfillment = scope.visible.get(name);
      if (fulfillment?.type !== 'LOOP' || scope.loops.has(name)) return;
      const inside = fulfillment.fulfillments.find(({ type }) => type !== 'LOOP');
      const hasIndex = inside?.index !== undefined;
      report('result-of-loop', nameSpan, { name, inside: inside?.name.value, hasIndex });
    },
  }),
);
