/** The next runs of a schedule, for hover. */
import { markdown } from '../../notation/markdown-writer.js';
import { joined, type Written } from '../../notation/written.js';
import { readCron } from '../../../runtime/schedule/cron.js';

/** Number of runs shown. */
const shown = 5;

/** Undefined if the schedule cannot be parsed. The default time zone is the server's; here, this computer's. */
export function nextRuns(
  cron: string,
  timezone: string | undefined,
  now: Date,
): Written<'markdown'> | undefined {
  const zone = timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    const rule = readCron(cron, timezone);
    const runs: Written<'markdown'>[] = [];
    for (let next = rule.next(now); next !== undefined && runs.length < shown; next = rule.next(next))
      runs.push(markdown`- ${markdown.text(inZone(next, zone))}`);
    if (runs.length === 0) return markdown`It never runs.`;
    const where = timezone === undefined ? `the time zone of the server, here ${zone}` : zone;
    return markdown`Next runs (${markdown.text(where)}):\n\n${joined(runs, '\n')}`;
  } catch {
    // Errors in the schedule are reported by a rule.
    return undefined;
  }
}

/** The time in a time zone, such as `Fri 2026-11-27 03:00:00 GMT+01:00`. */
function inZone(time: Date, timeZone: string): string {
  const parts = new Map(
    new Intl.DateTimeFormat('en-GB', {
      ...{ timeZone, weekday: 'short', year: 'numeric', month: '2-digit', day: '2-digit' },
      ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'longOffset' },
    })
      .formatToParts(time)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  return `${part('weekday')} ${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}:${part('second')} ${part('timeZoneName')}`;
}
