/** The checks after reading: runs all rules on a configuration. */
import type { Analysis } from '../operations/analysis.js';
import type { Report } from '../../read/diagnostics/report.js';
import { CheckedService } from './checked.js';
import type { Rule } from './rule.js';
import { rules } from './rule-list.js';
import { runRules } from './run-rules.js';
import type { VisitsCache } from './visits-cache.js';

/** `all`; `configuration` if the API description is partly unreadable; `all but absence` if there is no description and none is needed. */
export type Extent = 'all' | 'configuration' | 'all but absence';

/** Reports all errors. Undefined if there are any, including errors from reading. `kept` caches earlier compilations. */
export function check(
  analysis: Analysis,
  report: Report,
  extent: Extent = 'all',
  kept?: VisitsCache,
): CheckedService | undefined {
  const isRun = ({ needs }: Rule): boolean =>
    needs === 'configuration' ||
    extent === 'all' ||
    (extent === 'all but absence' && needs === 'description');
  runRules(rules.filter(isRun), analysis, report, kept);
  if (extent !== 'configuration')
    for (const { mapped } of analysis.operations) report.replay(mapped.findings.all);
  return CheckedService.after(report, analysis);
}
