/**
 * What belongs to one session, in an operation that runs outside of transactions: each statement takes any connection there
 * (decisions 11.14, 12.16).
 */
import { ordinaryError, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import {
  sessionEffectsOf,
  type Instead,
  type SessionEffect,
} from '../../../read/sql/facts/session-effects.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
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
    'sql-lock': warning((p: { written: string }) => ({
      message: `${p.written} locks nothing for what follows: outside of a transaction the lock ends with its statement.`,
      hint: 'Write `transaction: true` on the operation.',
    })),
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
      const lock = isOutside ? lockOf(statement) : undefined;
      if (lock !== undefined) report('sql-lock', text.spanOf(lock.start, lock.end), lock);
      for (const { view, leaves } of isOutside ? analysis.viewsThatChange(statement) : []) {
        if (leaves === undefined) continue;
        const name = `${leaves} in the view '${view}'`;
        report('sql-outside-transaction', text.span, { name, kind: 'leaves', instead: undefined });
      }
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

/** The lock of a SELECT; one of a statement that also changes rows is there until it has done so. */
function lockOf({
  verb,
  pieces: { text, bounds },
}: SqlStatement): { readonly start: number; readonly end: number; readonly written: string } | undefined {
  const { items } = bounds;
  if (verb !== 'SELECT' || items.some(({ word }) => word === 'INSERT' || word === 'DELETE')) return undefined;
  for (const [index, { word, token }] of items.entries()) {
    if (word !== 'FOR') continue;
    const end = items
      .slice(index + 1, index + 4)
      .find((item) => item.word === 'UPDATE' || item.word === 'SHARE');
    const between = items.slice(index + 1, end === undefined ? index : items.indexOf(end));
    if (end === undefined || between.some((item) => item.word !== 'NO' && item.word !== 'KEY')) continue;
    const isOther = items.some((item) => item.word === 'UPDATE' && item !== end);
    const range = { start: token.start, end: end.token.end };
    return isOther ? undefined : { ...range, written: text.value.slice(range.start, range.end) };
  }
  return undefined;
}

function hintOf(instead: Instead | undefined): string {
  const transaction = '`transaction: true` on the operation';
  if (instead === undefined) return `Write ${transaction}.`;
  return 'alone' in instead
    ? `${instead.alone}, or write ${transaction}.`
    : `Write ${transaction}, and ${instead.inTransaction}.`;
}
