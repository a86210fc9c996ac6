/**
 * What belongs to one session, in an operation that runs outside of transactions: each statement takes any connection there
 * (decisions 11.14, 12.16).
 */
import { ordinaryError, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { sessionEffectsOf, type Instead, type SessionEffect } from '../../../read/sql/session-effects.js';
import { rule } from '../rule.js';

const effects = {
  ends: (name: string) => `${name} has no effect outside of a transaction.`,
  reads: (name: string) =>
    `${name} reads what an earlier statement has left on its connection; outside of a transaction it may be another request's.`,
  leaves: (name: string) => `${name} leaves something on the connection, which other requests use next.`,
};

export const sqlOutsideTransaction = rule(
  {
    'sql-outside-transaction': ordinaryError(
      (p: { name: string; kind: keyof typeof effects; instead: Instead | undefined }) => ({
        message: effects[p.kind](p.name),
        hint: hintOf(p.instead),
      }),
    ),
    'sql-session-value': warning(({ name, kind }: Pick<SessionEffect, 'name' | 'kind'>) =>
      kind === 'own'
        ? {
            message: `${name} is set and read by the same statement, in an order that the server does not promise.`,
            hint: name.startsWith('@')
              ? 'Number rows with row_number() OVER (…), and sum them up with sum(…) OVER (…).'
              : 'Read the result of nextval(…) or the column that has the number.',
          }
        : {
            message: `Outside of a transaction nothing sets ${name} for this request alone.`,
            hint: 'Write `transaction: true` on the operation, and SELECT set_config(…, true) before it.',
          },
    ),
  },
  ({ analysis, report }) => ({
    statement: (statement, { operation }) => {
      const { text } = statement.pieces;
      const isInside = analysis.insideTransactions.has(operation);
      const isOutside = analysis.outsideTransactions.has(operation);
      for (const { kind, name, item, last = item, instead } of sessionEffectsOf(statement)) {
        const span = text.spanOf(item.token.start, last.token.end);
        if (kind === 'own') report('sql-session-value', span, { name, kind });
        else if (kind === 'setting') {
          if (isOutside) report('sql-session-value', span, { name, kind });
        } else if (kind === 'ends' ? !isInside : isOutside)
          report('sql-outside-transaction', span, { name, kind, instead });
      }
    },
  }),
);

function hintOf(instead: Instead | undefined): string {
  const transaction = '`transaction: true` on the operation';
  if (instead === undefined) return `Write ${transaction}.`;
  return 'alone' in instead
    ? `${instead.alone}, or write ${transaction}.`
    : `Write ${transaction}, and ${instead.inTransaction}.`;
}
