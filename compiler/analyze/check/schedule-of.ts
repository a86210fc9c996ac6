/** Reads schedules as the service does, for the rules about them (decisions 10.1). */
import { readCron, type CronRule } from '../../../runtime/schedule/cron.js';

/** The schedule, or what is wrong with it: in a time zone that there is not, that. */
export function scheduleOf(pattern: string, timezone = 'UTC'): CronRule | string {
  try {
    return readCron(pattern, timezone);
  } catch (error) {
    // The library puts its own name in front.
    const text = (error instanceof Error ? error.message : String(error)).replace(/^CronPattern: /, '');
    return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
  }
}
