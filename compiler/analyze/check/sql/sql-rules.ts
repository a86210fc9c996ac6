/** All SQL rules: everything exported by the rule files. */
import * as columns from '../rules/sql/columns.js';
import * as comparisons from '../rules/sql/comparisons.js';
import * as constantValues from '../rules/sql/constant-values.js';
import * as copy from '../rules/sql/copy.js';
import * as grammar from '../rules/sql/grammar.js';
import * as inserts from '../rules/sql/inserts.js';
import * as markers from '../rules/sql/markers.js';
import * as namedParameters from '../rules/sql/named-parameters.js';
import * as refusedParameters from '../rules/sql/refused-parameters.js';
import * as rowCounts from '../rules/sql/row-counts.js';
import * as rows from '../rules/sql/rows.js';
import * as sessionChanges from '../rules/sql/session-changes.js';
import * as strings from '../rules/sql/strings.js';
import * as verbs from '../rules/sql/verbs.js';
import type { Finding } from '../../../read/diagnostics/finding.js';
import type { SqlText } from '../../../read/sql/sql-text.js';
import type { SqlRule } from './sql-rule.js';

const topics: readonly Readonly<Record<string, SqlRule>>[] = [
  columns,
  comparisons,
  constantValues,
  copy,
  grammar,
  inserts,
  markers,
  namedParameters,
  refusedParameters,
  rowCounts,
  rows,
  sessionChanges,
  strings,
  verbs,
];

export const sqlRules: readonly SqlRule[] = topics.flatMap((topic) => Object.values(topic));

/** The findings of all SQL rules for an SQL string. */
export function findingsIn(sql: SqlText): Finding[] {
  const found: Finding[] = [];
  for (const { check } of sqlRules) check(sql, found);
  return found;
}
