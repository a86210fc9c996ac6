/** The checks behind reading: which rules look at a configuration, and what the analysis has found by itself. */
import type { Analysis } from '../analyze/analysis.js';
import type { Report } from '../diagnostics/report.js';
import { CheckedAnalysis } from './checked.js';
import { descriptionRules, rules, rulesOfAbsence } from './rule-list.js';
import { runRules } from './run-rules.js';
import type { KeptVisits } from './kept-visits.js';

/**
 * `all`; `configuration` where there is an API description of which a part could not be read; `all but absence` where there
 * is none, and none is missed.
 */
export type Extent = 'all' | 'configuration' | 'all but absence';

/** Every mistake goes to the report. Undefined where it has errors, those of reading included. `kept` is of the compilations before. */
export function check(
  analysis: Analysis,
  report: Report,
  extent: Extent = 'all',
  kept?: KeptVisits,
): CheckedAnalysis | undefined {
  runRules(
    [
      ...rules,
      ...(extent === 'configuration' ? [] : descriptionRules),
      ...(extent === 'all' ? rulesOfAbsence : []),
    ],
    analysis,
    report,
    kept,
  );
  if (extent !== 'configuration')
    for (const { mapped } of analysis.operations) mapped.findings.report(report);
  return CheckedAnalysis.after(report, analysis);
}
