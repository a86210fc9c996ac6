/** Statements that commit by themselves on MySQL and MariaDB, in an operation that runs in a transaction (decisions 11.14). */
import { ordinaryError } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const sqlCommits = rule(
  {
    'sql-commits': ordinaryError((p: { verb: string }) => ({
      message: `${p.verb} commits the transaction on MySQL and MariaDB.`,
      hint: `${p.verb === 'TRUNCATE' ? 'Write DELETE FROM, or move' : 'Move'} it to an operation without \`transaction: true\`.`,
    })),
  },
  ({ analysis, report }) => ({
    statement: ({ dialect, verb, pieces }, { operation }) => {
      if (dialect !== 'mysql' || !analysis.insideTransactions.has(operation)) return;
      const { text, verb: item, bounds } = pieces;
      const next = bounds.items[bounds.items.indexOf(item) + 1]?.word;
      // A temporary table is not part of the transaction, but it does not end it.
      if (!committing.test(verb) || next === 'TEMPORARY') return;
      report('sql-commits', text.spanOf(item.token.start, item.token.end), { verb });
    },
  }),
);

const committing =
  /^(?:ALTER|ANALYZE|CACHE|CHECK|CREATE|DROP|FLUSH|GRANT|INSTALL|OPTIMIZE|RENAME|REPAIR|RESET|REVOKE|TRUNCATE|UNINSTALL)$/;
