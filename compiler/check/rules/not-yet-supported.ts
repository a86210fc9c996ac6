/** What is read, but not yet brought to life: it is refused, never passed over in silence. */
import type { Rule } from '../rule.js';

export const notYetSupported: Rule = ({ settings }, report) => {
  const place = settings.fields.get('debug');
  if (settings.debug && place !== undefined)
    report.add('not-yet-supported', place, { what: 'The test page (debug: true)' });
};
