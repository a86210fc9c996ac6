/** Time zones that there are not (decisions 10.3). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';
import { scheduleOf } from '../schedule-of.js';

export const unknownTimezone = rule(
  {
    'unknown-timezone': error((p: { written: string }) => ({
      message: `Unknown time zone '${p.written}'.`,
      hint: "Write a name of the IANA list, such as 'Europe/Berlin' or 'UTC'.",
    })),
  },
  ({ report }) => ({
    trigger: ({ timezone }) => {
      if (timezone !== undefined && typeof scheduleOf('0 0 0 * * *', timezone.value) === 'string')
        report('unknown-timezone', timezone.span, { written: timezone.value });
    },
  }),
);
