/** Two triggers of one operation that tick at the same times. */
import { warning } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const sameSchedule = rule(
  {
    'same-schedule': warning((p: { name: string }) => ({
      message: `This trigger has the schedule of '${p.name}': its ticks are skipped, because the operation is running.`,
      hint: 'Remove one of the two, or write another schedule.',
    })),
  },
  ({ report }) => ({
    operation: ({ triggers }) => {
      const seen = new Map<string, string>();
      for (const { name, cron, timezone } of triggers) {
        if (cron === undefined) continue;
        const key = `${cron.value.trim().replaceAll(/\s+/g, ' ')} ${timezone?.value ?? ''}`;
        const other = seen.get(key);
        if (other !== undefined) report('same-schedule', cron.place, { name: other });
        else seen.set(key, name.value);
      }
    },
  }),
);
