/** Settings of PostgreSQL that end with the transaction, in an operation that has none: each statement is its own there (decisions 11.14). */
import { ordinaryError } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { OutlineToken } from '../../../read/sql/outline.js';
import { rule } from '../rule.js';

export const sqlOutsideTransaction = rule(
  {
    'sql-outside-transaction': ordinaryError((p: { statement: string }) => ({
      message: `${p.statement} has no effect outside of a transaction.`,
      hint: 'Write `transaction: true` on the operation.',
    })),
  },
  ({ analysis, report }) => ({
    statement: ({ dialect, pieces }, { operation }) => {
      if (dialect !== 'postgresql' || analysis.insideTransactions.has(operation)) return;
      const { text, verb, bounds } = pieces;
      const statement = settingIn(bounds.items, verb);
      if (statement === undefined) return;
      const called = bounds.items[bounds.items.indexOf(verb) + 1] ?? verb;
      const { token } = verb.word === 'SET' ? verb : called;
      report('sql-outside-transaction', text.spanOf(token.start, token.end), { statement });
    },
  }),
);

/** The words behind SET. */
const scopes = new Set(['LOCAL', 'TRANSACTION', 'CONSTRAINTS']);

/** `SET LOCAL` and the like, or a SELECT of `set_config(…, true)` and nothing else; undefined for everything else. */
function settingIn(items: readonly OutlineToken[], verb: OutlineToken): string | undefined {
  const start = items.indexOf(verb);
  const next = items[start + 1]?.word ?? '';
  if (verb.word === 'SET' && scopes.has(next)) return `SET ${next}`;
  return verb.word === 'SELECT' && onlySets(items, start + 1) ? 'set_config(…, true)' : undefined;
}

/** Whether all columns from this item on are such calls. Beside anything else the setting is there for that statement. */
function onlySets(items: readonly OutlineToken[], first: number): boolean {
  const close = items[first + 1]?.close ?? -1;
  const isLocal = /^'?(?:t|true|on|yes|1)'?$/i.test(items[close - 1]?.token.text ?? '');
  if (items[first]?.word !== 'SET_CONFIG' || close === -1 || !isLocal) return false;
  const end = items[close + 1]?.word === 'AS' ? close + 3 : close + 1;
  return end >= items.length || (items[end]?.word === ',' && onlySets(items, end + 1));
}
