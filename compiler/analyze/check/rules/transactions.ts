/** Checks statements inside and outside of transactions, and changes that can be interleaved with others. */
import type { Operation } from '../../../read/config/config-model.js';
import {
  allFulfillments,
  deliveredRequests,
  isStatement,
  messagesOf,
  reachedInstructions,
} from '../../../read/config/walk.js';
import { ordinaryError, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Expression, Syntax } from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import {
  type Instead,
  type SessionEffect,
  sessionEffectsOf,
} from '../../../read/sql/facts/session-effects.js';
import { tokensOf } from '../../../read/sql/facts/server-names.js';
import { changesRows } from '../../../read/sql/facts/verb.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import { rule } from '../rule.js';
import { nodesIn } from '../../../read/expression/visit.js';
import { words } from '../../../read/diagnostics/marks.js';

/** Reports `transaction: true` without several statements to combine. */
export const uselessTransaction = rule(
  {
    'useless-transaction': warning({ reason: 'sentence' }, (p: { reason: string }) => ({
      message: `This transaction has no effect: ${p.reason}.`,
      hint: "Remove 'transaction: true'.",
    })),
  },
  ({ analysis, report, hasErrors }) => ({
    end: () => {
      if (hasErrors()) return;
      for (const operation of analysis.config.operations) {
        const span = operation.fields.get('transaction');
        if (!operation.transaction || span === undefined) continue;
        const called = analysis.withCalled(operation);
        const all = analysis.operations.flatMap((one) => (called.has(one.operation) ? one.fulfillments : []));
        const hasDatabase = analysis.config.datasources.some(({ type }) => type === 'db');
        // User code can access all databases, in ways that are unknown.
        if (hasDatabase && all.some(({ fulfillment }) => fulfillment.type === 'CODE')) continue;
        const ofDatabases = all.filter(
          ({ fulfillment }) =>
            fulfillment.type === 'DEFERRED' ||
            ('datasource' in fulfillment &&
              (analysis.datasource(fulfillment.datasource.value)?.type === 'db' ||
                deliveredRequests(fulfillment).length > 0 ||
                messagesOf(fulfillment).some(({ isDelivered }) => isDelivered))),
        );
        const [first, second] = ofDatabases;
        if (first === undefined) {
          report('useless-transaction', span, { reason: 'no fulfillment uses a database' });
        } else if (second === undefined && first.loop === undefined && called.size === 1) {
          const { fulfillment } = first;
          const isRead =
            fulfillment.type === 'READ' &&
            fulfillment.instructions.every(
              ({ action }) => isStatement(action) && analysis.isRetryable(action),
            );
          const name = fulfillment.name.value;
          if (isRead)
            report('useless-transaction', span, { reason: `'${name}' is one statement that only reads` });
        }
      }
    },
  }),
);

/** Reports statements that commit implicitly on MySQL and MariaDB, in an operation that runs in a transaction. */
export const sqlCommits = rule(
  {
    'sql-commits': ordinaryError({ verb: 'word' }, (p: { verb: string }) => ({
      message: `${p.verb} commits the transaction on MySQL and MariaDB.`,
      hint: `${p.verb === 'TRUNCATE' ? 'Write DELETE FROM, or move' : 'Move'} it to an operation without \`transaction: true\`.`,
    })),
  },
  ({ analysis, report }) => ({
    statement: ({ dialect, verb, pieces }, { operation }) => {
      if (dialect !== 'mysql' || !analysis.insideTransactions.has(operation)) return;
      const { items, main } = pieces.tree;
      const next = items[main.verbItem + 1]?.word;
      // A temporary table is not part of the transaction, but does not end it either.
      if (!committing.test(verb) || next === 'TEMPORARY') return;
      report('sql-commits', pieces.spanOf({ first: main.verbItem, last: main.verbItem }), { verb });
    },
  }),
);

const committing =
  /^(?:ALTER|ANALYZE|CACHE|CHECK|CREATE|DROP|FLUSH|GRANT|INSTALL|OPTIMIZE|RENAME|REPAIR|RESET|REVOKE|TRUNCATE|UNINSTALL)$/;

const effects = {
  ends: (name: string) => `${name} has no effect outside a transaction.`,
  reads: (name: string) =>
    `${name} reads state that an earlier statement left on its connection; outside a transaction, that may be a statement of another request.`,
  leaves: (name: string) => `${name} changes the state of the connection, which other requests use next.`,
};

/**
 * Reports effects on a session in an operation that runs outside of transactions, where each statement uses any connection
 * (docs/design/sql.md#sql-6).
 */
export const sqlOutsideTransaction = rule(
  {
    'sql-outside-transaction': ordinaryError(
      { name: 'text', kind: words('ends', 'reads', 'leaves'), instead: { alone: 'text' } },
      (p: { name: string; kind: keyof typeof effects; instead: Instead | undefined }) => ({
        message: effects[p.kind](p.name),
        hint: hintOf(p.instead),
      }),
    ),
    'sql-lock': warning({ written: 'text' }, (p: { written: string }) => ({
      message: `${p.written} does not protect later statements: outside a transaction, the lock ends with its statement.`,
      hint: 'Write `transaction: true` on the operation.',
    })),
    'sql-session-value': warning(
      { name: 'text', kind: words('ends', 'reads', 'leaves', 'own', 'setting') },
      ({ name, kind }: Pick<SessionEffect, 'name' | 'kind'>) =>
        kind === 'own'
          ? {
              message: `${name} is set and read by the same statement, in an order that the server does not guarantee.`,
              hint: name.startsWith('@')
                ? 'Number rows with row_number() OVER (…), and sum them up with sum(…) OVER (…).'
                : 'Read the result of nextval(…) or the column that has the number.',
            }
          : {
              message: `Outside a transaction, ${name} may have been set for another request.`,
              hint: 'Write `transaction: true` on the operation, and SELECT set_config(…, true) before it.',
            },
    ),
  },
  ({ analysis, report }) => ({
    statement: (statement, { operation, fulfillment }) => {
      const { text } = statement.pieces;
      const datasource = analysis.datasource(fulfillment.datasource.value);
      const context = datasource?.type === 'db' ? datasource.context : [];
      const isInside = analysis.insideTransactions.has(operation);
      const isOutside = analysis.outsideTransactions.has(operation);
      const lock = isOutside ? lockOf(statement) : undefined;
      if (lock !== undefined) report('sql-lock', statement.pieces.spanOf(lock), lock);
      for (const { view, isFunction, leaves } of isOutside ? analysis.viewsThatChange(statement) : []) {
        if (leaves === undefined) continue;
        const name = `${leaves} in the ${isFunction === true ? 'function' : 'view'} '${view}'`;
        report('sql-outside-transaction', text.span, { name, kind: 'leaves', instead: undefined });
      }
      for (const { kind, name, item, last = item, instead } of sessionEffectsOf(statement)) {
        const span = text.spanOf(item.token.start, last.token.end);
        if (kind === 'own') report('sql-session-value', span, { name, kind });
        else if (kind === 'setting') {
          const isSet = context.some(
            (setting) => name.toLowerCase() === `current_setting('${setting.name.value.toLowerCase()}')`,
          );
          if (isOutside && !isSet) report('sql-session-value', span, { name, kind });
        } else if (kind === 'ends' ? !isInside : isOutside)
          report('sql-outside-transaction', span, { name, kind, instead });
      }
    },
  }),
);

/** The lock taken by a SELECT. A statement that also changes rows is excluded, because its lock lasts until the change. */
function lockOf({
  verb,
  pieces: { tree },
}: SqlStatement): { readonly first: number; readonly last: number; readonly written: string } | undefined {
  if (verb !== 'SELECT') return undefined;
  if (tree.nodes.some((node) => node.kind === 'query' && changesRows(node.verb))) return undefined;
  for (const node of tree.nodes) {
    const words = node.kind === 'clause' && node.name === 'FOR' ? node.modifiers : [];
    const at = words.findIndex((word) => word === 'UPDATE' || word === 'SHARE');
    const range = { first: node.first, last: node.first + 1 + at };
    if (at !== -1) return { ...range, written: tokensOf(tree, range) };
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

/** Reports a version that is compared before the change, although another request may change it in between. */
export const unguardedVersion = rule(
  {
    'unguarded-version': warning(
      { written: 'text', fulfillment: 'text' },
      (p: { written: string; fulfillment: string | undefined }) => ({
        message: 'Another request may change the version between this comparison and the change.',
        hint: `Compare it in the change too, such as WHERE id = … AND version = :[${p.written}], or write transaction: true and ${p.fulfillment === undefined ? 'read it with FOR UPDATE' : `end the SQL of '${p.fulfillment}' with FOR UPDATE`}.`,
      }),
    ),
  },
  ({ report }) => ({
    'if-match': (node, { operation }) => {
      const { syntax, transaction } = operation;
      const written = printExpression(node.of, syntax);
      const fulfillment = 'name' in node.of ? node.of.name : undefined;
      const changes = statementsOf(operation, 'UPDATE');
      const isCompared = changes.some(({ expressions }) =>
        expressions.some((expression) => hasSame(expression, written, syntax)),
      );
      const isLocked =
        transaction &&
        statementsOf(operation, 'READ').some(
          ({ name, statement }) =>
            (fulfillment === undefined || name === fulfillment) &&
            /\bfor\s+(?:no\s+key\s+)?update\b/i.test(statement.pieces.text.value),
        );
      if (changes.length > 0 && !isCompared && !isLocked)
        report('unguarded-version', node.span, { written, fulfillment });
    },
  }),
);

interface Sent {
  readonly name: string;
  readonly statement: SqlStatement;
  readonly expressions: readonly Expression[];
}

function statementsOf({ fulfillments }: Operation, type: 'READ' | 'UPDATE'): Sent[] {
  return allFulfillments(fulfillments).flatMap(({ fulfillment }) =>
    fulfillment.type !== type
      ? []
      : reachedInstructions(fulfillment).flatMap(({ action, expressions }) =>
          isStatement(action) ? [{ name: fulfillment.name.value, statement: action, expressions }] : [],
        ),
  );
}

function hasSame(expression: Expression, written: string, syntax: Syntax): boolean {
  return nodesIn(expression).some((node) => printExpression(node, syntax) === written);
}
