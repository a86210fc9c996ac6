/** A rule for one SQL string: its entries in the catalogue, and its findings. */
import type { Finding } from '../../../read/diagnostics/finding.js';
import type { SqlText } from '../../../read/sql/sql-text.js';
import type { Messages, ReportOwn } from '../rule.js';
import { factOf } from './fact-of.js';

/** It needs only the SQL, so it runs before the analysis, which skips statements with errors. */
export interface SqlRule {
  readonly messages: Messages;
  /** Adds its findings in a text. */
  readonly check: (sql: SqlText, found: Finding[]) => void;
}

/** A rule on which other rules depend. */
export interface RefusingRule extends SqlRule {
  /** Whether it finds an error in a text. */
  readonly refuses: (sql: SqlText) => boolean;
}

/** Makes a rule of its messages and its check, which only reads. */
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

/** The same for a rule on which others depend: its findings are found once. */
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
