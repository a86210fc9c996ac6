/** Time zones that there are not (decisions 10.3). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import { rule } from '../rule.js';
import { scheduleOf } from '../schedule-of.js';

export const unknownTimezone = rule(
  {
    'unknown-timezone': error((p: { written: string; nearest: string | undefined }) => ({
      message: `Unknown time zone '${p.written}'.`,
      hint:
        p.nearest === undefined
          ? "Write a name of the IANA list, such as 'Europe/Berlin' or 'UTC'."
          : `Did you mean '${p.nearest}'?`,
      instead: p.nearest,
      isSuggestion: true,
    })),
  },
  ({ report }) => ({
    trigger: ({ timezone }) => {
      if (timezone !== undefined && typeof scheduleOf('0 0 0 * * *', timezone.value) === 'string')
        report('unknown-timezone', timezone.span, {
          written: timezone.value,
          nearest: meantZone(timezone.value),
        });
    },
  }),
);

/** A name that is nearly the same, or the only one of a city. */
function meantZone(written: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone');
  const city = written.trim().replaceAll(/\s+/g, '_').toLowerCase();
  const [only, other] = zones.filter((zone) => zone.toLowerCase().endsWith(`/${city}`));
  return only !== undefined && other === undefined
    ? only
    : nearest(written, written.includes('/') ? zones : []);
}
