/** The checks after reading: the rules that run on a configuration, and problems found by the analysis. */
import type { Analysis } from '../operations/analysis.js';
import type { Report } from '../../read/diagnostics/report.js';
import { CheckedService } from './checked.js';
import type { Rule } from './rule.js';
import { rules } from './rule-list.js';
import { runRules } from './run-rules.js';
import type { VisitsCache } from './visits-cache.js';

/** `all`; `configuration` if a part of the API description could not be read; `all but absence` if there is none, and none is needed. */
export type Extent = 'all' | 'configuration' | 'all but absence';

/** Reports every error. Undefined if there are errors, including those of reading. `kept` caches earlier compilations. */
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
