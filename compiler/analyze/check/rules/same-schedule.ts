/** Two triggers of one operation that tick at the same times. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Span } from '../../../read/source.js';
import { rule } from '../rule.js';

export const sameSchedule = rule(
  {
    'same-schedule': warning((p: { name: string; first: Span }) => ({
      message: `Same schedule as trigger '${p.name}': the operation runs once for both.`,
      hint: 'Remove one of the two, or write another schedule.',
      related: [{ span: p.first, message: 'the same schedule' }],
    })),
  },
  ({ report }) => ({
    operation: ({ triggers }) => {
      const seen = new Map<string, { name: string; first: Span }>();
      for (const { name, cron, timezone } of triggers) {
        if (cron === undefined) continue;
        const key = `${cron.value.trim().replaceAll(/\s+/g, ' ')} ${timezone?.value ?? ''}`;
        const other = seen.get(key);
        if (other !== undefined) report('same-schedule', cron.span, other);
        else seen.set(key, { name: name.value, first: cron.span });
      }
    },
  }),
);
