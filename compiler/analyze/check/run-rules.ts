/** Runs all rules in one walk over a configuration. */
import type { Analysis } from '../operations/analysis.js';
import type { Report } from '../../read/diagnostics/report.js';
import { GroupEnds, VisitsCache } from './visits-cache.js';
import type { Rule } from './rule.js';
import { RuleWalk } from './rule-walk.js';

/** The order of rules does not matter, because diagnostics are printed in file order. `kept` caches earlier compilations. */
export function runRules(
  rules: readonly Rule[],
  analysis: Analysis,
  report: Report,
  kept = new VisitsCache(),
): void {
  if (analysis.groups !== undefined) {
    runInGroups(rules, analysis, analysis.groups, report, kept);
    return;
  }
  const walk = new RuleWalk(
    rules.map((rule) => rule.visit(analysis, report)),
    analysis,
  );
  for (const datasource of analysis.config.datasources) walk.datasource(datasource);
  for (const authentication of analysis.config.authentications) walk.call('authentication', authentication);
  for (const operation of analysis.operations) walk.operation(operation);
  walk.call('end');
}

function runInGroups(
  rules: readonly Rule[],
  analysis: Analysis,
  groups: readonly Analysis[],
  report: Report,
  kept: VisitsCache,
): void {
  const { datasources, authentications } = analysis.config;
  // Everything outside of operations is visited again by all rules.
  const outside = new RuleWalk(
    rules.map((rule) => rule.visit(analysis, report)),
    analysis,
  );
  for (const datasource of datasources) outside.datasource(datasource);
  for (const authentication of authentications) outside.call('authentication', authentication);
  const ofWhole = rules.map((rule) => (rule.isOfWhole ? rule.visit(analysis, report) : {}));
  const walk = new RuleWalk(ofWhole, analysis);
  for (const operation of analysis.operations) walk.operation(operation);
  const ofGroups = rules.filter(({ isOfWhole }) => !isOfWhole);
  const visits = groups.map((group) => kept.of(group, ofGroups));
  for (const visit of visits) visit.replay(report);
  // Each rule checks for errors before it reports in `end`, so rules end in the same order as without groups.
  const ends = new GroupEnds(visits);
  for (const [index, rule] of rules.entries()) {
    ofWhole[index]?.end?.();
    ends.replay(rule, report);
  }
}
