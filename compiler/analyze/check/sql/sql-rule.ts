/** A rule for a single SQL string: its catalogue entries and its findings. */
import type { Finding } from '../../../read/diagnostics/finding.js';
import type { SqlText } from '../../../read/sql/sql-text.js';
import type { Messages, ReportOwn } from '../rule.js';
import { factOf } from './fact-of.js';

/** SQL rules need only the SQL, so they run before the analysis, which skips invalid statements. */
export interface SqlRule {
  readonly messages: Messages;
  /** Adds the findings for an SQL string. */
  readonly check: (sql: SqlText, found: Finding[]) => void;
}

/** A rule on which other rules depend. */
export interface RefusingRule extends SqlRule {
  /** Whether the rule finds an error in an SQL string. */
  readonly refuses: (sql: SqlText) => boolean;
}

/** Creates a rule from its messages and its read-only check. */
export function sqlRule<M extends Messages>(
  messages: M,
  check: (sql: SqlText, report: ReportOwn<M>) => void,
): SqlRule {
  return {
    messages,
    check: (sql, found) => {
      check(sql, (code, span, ...parameters) => {
        const entry: Messages[string] | undefined = messages[code];
        if (entry !== undefined) found.push({ code, entry, span, parameters });
      });
    },
  };
}

/** Creates a rule on which others depend. Its findings are computed once per SQL string. */
export function refusingRule<M extends Messages>(
  messages: M,
  check: (sql: SqlText, report: ReportOwn<M>) => void,
): RefusingRule {
  const rule = sqlRule(messages, check);
  const findIn = factOf((sql) => {
    const found: Finding[] = [];
    rule.check(sql, found);
    return found;
  });
  return {
    messages,
    check: (sql, found) => {
      found.push(...findIn(sql));
    },
    refuses: (sql) => findIn(sql).some(({ entry }) => entry.severity === 'error'),
  };
}
