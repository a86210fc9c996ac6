/** Reference calls of an operation that is not there (decisions 7.6). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { isUnambiguous, nearest } from '../../../read/diagnostics/suggest.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { ruleOfWhole } from '../rule.js';

export const unknownOperation = ruleOfWhole(
  {
    'unknown-operation': error(
      (p: { name: string; nearest: string | undefined; names: ReadonlySet<string> }) => ({
        message: `Unknown operation '${p.name}'.`,
        hint:
          p.nearest === undefined
            ? `Add an operation '${p.name}'${p.names.size === 0 ? '' : `, or write one that there is: ${quotedList([...p.names].slice(0, 10))}${p.names.size > 10 ? ` and ${p.names.size - 10} more` : ''}`}.`
            : `Did you mean '${p.nearest}'?`,
        instead: p.nearest,
        isSuggestion: !isUnambiguous(p.name, p.names),
        subject: p.name,
      }),
    ),
  },
  ({ analysis, report }) => ({
    fulfillment: (fulfillment, { operation }) => {
      if (fulfillment.type !== 'REFERENCE') return;
      const { value: name, span } = fulfillment.operationName;
      if (name === '' || analysis.operation(name) !== undefined) return;
      const names = new Set(
        analysis.config.operations.flatMap((other) => (other === operation ? [] : [other.name.value])),
      );
      report('unknown-operation', span, { name, nearest: nearest(name, names), names });
    },
  }),
);
