/** Statements that commit by themselves on MySQL and MariaDB, in an operation that runs in a transaction (decisions 11.14). */
import { allFulfillments } from '../../config/walk.js';
import { insideTransactions } from '../inside-transactions.js';
import type { Rule } from '../rule.js';

const committing =
  /^(?:ALTER|ANALYZE|CACHE|CHECK|CREATE|DROP|FLUSH|GRANT|INSTALL|OPTIMIZE|RENAME|REPAIR|RESET|REVOKE|TRUNCATE|UNINSTALL)$/;

export const commitsInsideTransaction: Rule = ({ operations }, report) => {
  for (const { fulfillments } of insideTransactions(operations)) {
    for (const { fulfillment } of allFulfillments(fulfillments)) {
      if (fulfillment.type !== 'READ' && fulfillment.type !== 'UPDATE') continue;
      for (const { action } of fulfillment.instructions) {
        if (action === undefined || 'kind' in action || action.dialect !== 'mysql') continue;
        const { text, verb, bounds } = action.pieces;
        const next = bounds.items[bounds.items.indexOf(verb) + 1]?.word;
        // A temporary table is no part of the transaction, but it does not end it.
        if (!committing.test(action.verb) || next === 'TEMPORARY') continue;
        const place = text.placeOf(verb.token.start, verb.token.end);
        report.add('sql-commits', place, { verb: action.verb });
      }
    }
  }
};
