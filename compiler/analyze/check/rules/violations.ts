/** Checks exceptions of violated constraints (docs/design/operations.md#op-4.11). */
import type { Exception, Fulfillment } from '../../../read/config/config-model.js';
import { isStatement, reachedInstructions } from '../../../read/config/walk.js';
import { error, meantOr, ordinaryError } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { isUnambiguous, nearest } from '../../../read/diagnostics/suggest.js';
import type { Analysis } from '../../operations/analysis.js';
import type { KnownConstraint } from '../../operations/statements/statement-descriptions.js';
import { rule } from '../rule.js';

/** Reports `constraint` without a statement that can violate it, and two exceptions for the same constraint. */
export const constraintWithoutChange = rule(
  {
    'constraint-without-change': error({ reason: 'sentence' }, (p: { reason: string }) => ({
      message: `This exception never ends the operation: ${p.reason}.`,
      hint: "Move it to the fulfillment whose statement can violate the constraint, or write 'if'.",
    })),
    'constraint-twice': error({ name: 'text' }, (p: { name: string }) => ({
      message: `Another exception of this fulfillment has the constraint '${p.name}'.`,
      hint: 'Remove one of them.',
    })),
  },
  ({ analysis, report }) => {
    const check = (exceptions: readonly Exception[], reason: string | undefined): void => {
      const seen = new Set<string>();
      for (const { constraint } of exceptions) {
        if (constraint === undefined) continue;
        const { value: name, span } = constraint;
        if (reason !== undefined) report('constraint-without-change', span, { reason });
        else if (seen.has(name)) report('constraint-twice', span, { name });
        seen.add(name);
      }
    };
    return {
      operation: ({ exceptions }) => {
        check(exceptions, 'exceptions of an operation are checked before its statements');
      },
      fulfillment: (fulfillment) => {
        check(fulfillment.exceptions, reasonWithout(fulfillment, analysis));
      },
    };
  },
);

/** The reason why the fulfillment cannot violate a constraint; undefined if it can. */
function reasonWithout(fulfillment: Fulfillment, analysis: Analysis): string | undefined {
  switch (fulfillment.type) {
    case 'LOOP':
      return 'a LOOP does not run statements itself';
    case 'REFERENCE':
    case 'DEFERRED':
      return 'the statements are those of the called operation';
    case 'CODE':
      return 'user code catches the errors of its statements itself';
    case 'COMPUTE':
      return 'a COMPUTE has no statement';
    case 'READ':
    case 'UPDATE': {
      const actions = reachedInstructions(fulfillment).map(({ action }) => action);
      // An unreadable statement has been reported.
      if (actions.includes(undefined)) return undefined;
      if (!actions.some(isStatement)) return 'a request to a third party violates no constraint';
      const name = fulfillment.name.value;
      return actions.every((action) => isStatement(action) && analysis.isRetryable(action))
        ? `'${name}' only reads`
        : undefined;
    }
  }
}

/** Reports names of constraints that the schema does not have, or that are checked at the end of a transaction. */
export const unknownConstraint = rule(
  {
    'unknown-constraint': ordinaryError(
      { name: 'text', nearest: 'suggestion', names: 'text' },
      (p: { name: string; nearest: string | undefined; names: readonly string[]; isGuess: boolean }) => ({
        message: `The database has no constraint '${p.name}'.`,
        ...meantOr(
          p.nearest,
          p.names.length === 0
            ? 'Add the constraint to the schema, or remove the exception.'
            : `Write one of the constraints of its tables: ${quotedList(p.names)}.`,
        ),
        isSuggestion: p.isGuess,
      }),
    ),
    'deferred-constraint': ordinaryError({ name: 'text' }, (p: { name: string }) => ({
      message: `'${p.name}' is INITIALLY DEFERRED: it is checked when the transaction ends, after all fulfillments.`,
      hint: 'Declare it INITIALLY IMMEDIATE, or remove the exception: the service responds with 409.',
    })),
  },
  ({ analysis, report }) => ({
    fulfillment: (fulfillment) => {
      if (!('instructions' in fulfillment)) return;
      const datasource = analysis.datasource(fulfillment.datasource.value);
      if (datasource === undefined || !analysis.descriptions.isWhole(datasource)) return;
      // MySQL and MariaDB hide the foreign keys of tables that the user may only read.
      const isAllowed = reachedInstructions(fulfillment).every(
        ({ action }) => isStatement(action) && analysis.descriptionOf(action) !== undefined,
      );
      if (!isAllowed) return;
      const known = analysis.descriptions
        .tables(datasource)
        .flatMap(({ name, constraints = [] }) => constraints.map((one) => ({ ...one, table: name })));
      const isMysql = datasource.dialect === 'mysql';
      for (const { constraint } of fulfillment.exceptions) {
        if (constraint === undefined) continue;
        const { value: name, span } = constraint;
        // The log of MySQL and MariaDB has some names with the table.
        const found = known.filter(
          (one) => name === one.name || (isMysql && name === `${one.table}.${one.name}`),
        );
        if (found.length === 0) {
          const names = namesOf(known);
          const isGuess = !isUnambiguous(name, names);
          report('unknown-constraint', span, { name, nearest: nearest(name, names), names, isGuess });
        } else if (found.every(({ isDeferred }) => isDeferred === true))
          report('deferred-constraint', span, { name });
      }
    },
  }),
);

function namesOf(constraints: readonly KnownConstraint[]): string[] {
  return [...new Set(constraints.map(({ name }) => name))].sort();
}
