/** Checks the use of UPDATE results. */
import type { DataFulfillment } from '../../../read/config/config-model.js';
import { isStatement, type Scope } from '../../../read/config/walk.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Expression, Path } from '../../../read/expression/ast.js';
import { rule } from '../rule.js';
import { words } from '../../../read/diagnostics/marks.js';

/** Reports fields that the result of an UPDATE on MySQL or MariaDB never has: the result is a single row with two columns. */
export const updateField = rule(
  {
    'update-field': warning(
      { name: 'text', field: 'text', syntax: words('A', 'B') },
      (p: { name: string; field: string; syntax: 'A' | 'B' }) => ({
        message: `'${p.field}' of '${p.name}' is always null: an UPDATE on MySQL returns only 'insert_id' and 'affected_rows'.`,
        hint: `Read ${updateColumns(p)}, or the rows in a READ fulfillment after it.`,
      }),
    ),
  },
  ({ report }) => ({
    value: ({ name, path, span }, { operation, scope }) => {
      const update = updateNamed(name, scope);
      const field = fieldRead(path);
      if (update === undefined || field === undefined || !returnsOutcome(update) || outcomeColumns.has(field))
        return;
      report('update-field', span, { name, field, syntax: operation.syntax });
    },
  }),
);

function updateColumns({ name, syntax }: { readonly name: string; readonly syntax: 'A' | 'B' }): string {
  return syntax === 'B'
    ? `${name}.insert_id or ${name}.affected_rows`
    : `VALUE(${name}, $.insert_id) or VALUE(${name}, $.affected_rows)`;
}

/** Reports tests for an empty result of an UPDATE on MySQL or MariaDB, which is never empty. */
export const updateNeverEmpty = rule(
  {
    'update-never-empty': warning(
      { name: 'text', instead: 'text' },
      (p: { name: string; instead: string }) => ({
        message: `The result of '${p.name}' is never empty: an UPDATE on MySQL always returns one row.`,
        hint: `Write ${p.instead}`,
        instead: p.instead,
        // Another condition may decide which instruction runs.
        isSuggestion: true,
      }),
    ),
  },
  ({ report }) => ({
    comparison: (node, { operation, scope }) => {
      for (const [side, other] of [
        [node.left, node.right],
        [node.right, node.left],
      ] as const) {
        const name = testedName(side, other);
        const update = name === undefined ? undefined : updateNamed(name, scope);
        if (name === undefined || update === undefined) continue;
        if (!returnsOutcome(update) || mayBeSkipped(update)) continue;
        const count = operation.syntax === 'B' ? `${name}.affected_rows` : `VALUE(${name}, $.affected_rows)`;
        // A comparison with a number is kept; a test for null becomes a comparison with zero.
        const zero = `${count} ${node.operator} ${operation.syntax === 'B' ? '0' : 'INTEGER(0)'}`;
        const [span, instead] = side.kind === 'size' ? [side.span, count] : [node.span, zero];
        report('update-never-empty', span, { name, instead });
      }
    },
  }),
);

/** Whether the fulfillment may be skipped: then it has no result, and the tests make sense. */
function mayBeSkipped({ if: condition, instructions }: DataFulfillment): boolean {
  return condition !== undefined || instructions.every((instruction) => instruction.if !== undefined);
}

/** The fulfillment tested for an empty result: `upd == null`, `upd.size() == 0`, `SIZE(VALUE(upd, $)) <= INTEGER(0)`. */
function testedName(side: Expression, other: Expression): string | undefined {
  const isWhole = (node: Expression): node is Extract<Expression, { kind: 'result' | 'value' }> =>
    node.kind === 'result' || (node.kind === 'value' && node.path.length === 0);
  if (isWhole(side) && other.kind === 'null') return side.name;
  return side.kind === 'size' && isWhole(side.of) && other.kind === 'number' ? side.of.name : undefined;
}

/** Reports `insert_id` and `affected_rows` of an UPDATE on PostgreSQL, which returns the changed rows. */
export const sqlUpdateColumns = rule(
  {
    'sql-update-columns': warning(
      { name: 'text', field: 'text', syntax: words('A', 'B') },
      (p: { name: string; field: string; syntax: 'A' | 'B' }) => ({
        message: `'${p.field}' is always null: an UPDATE on PostgreSQL returns the changed rows.`,
        hint:
          p.field === 'affected_rows'
            ? `Write ${p.syntax === 'B' ? `${p.name}.size()` : `SIZE(VALUE(${p.name}, $))`} for their number.`
            : `Read the column itself, such as ${p.syntax === 'B' ? `${p.name}.id` : `VALUE(${p.name}, $.id)`}.`,
      }),
    ),
  },
  ({ report }) => ({
    value: ({ name, path, span }, { operation, scope }) => {
      const update = updateNamed(name, scope);
      const field = fieldRead(path);
      if (update === undefined || field === undefined || !outcomeColumns.has(field)) return;
      if (returnsChangedRows(update))
        report('sql-update-columns', span, { name, field, syntax: operation.syntax });
    },
  }),
);

/** Whether all statements are for PostgreSQL and get a RETURNING clause. */
function returnsChangedRows({ instructions }: DataFulfillment): boolean {
  return instructions.every(({ action }) => isStatement(action) && action.takesReturning);
}

/** The columns of the driver's result row. */
const outcomeColumns: ReadonlySet<string> = new Set(['insert_id', 'affected_rows']);

/** The UPDATE of that name, as visible to the expression. */
function updateNamed(name: string, { visible }: Scope): DataFulfillment | undefined {
  const fulfillment = visible.get(name);
  return fulfillment?.type === 'UPDATE' ? fulfillment : undefined;
}

/** The field of the row that a path reads. */
function fieldRead(path: Path): string | undefined {
  const step = path[0]?.kind === 'name' ? path[0] : path[1];
  return step?.kind === 'name' ? step.name : undefined;
}

/** Whether all statements return the driver's result row, and not rows from RETURNING. */
function returnsOutcome({ instructions }: DataFulfillment): boolean {
  return instructions.every(
    ({ action }) =>
      isStatement(action) &&
      action.dialect === 'mysql' &&
      !action.returnsRows &&
      /^(?:INSERT|UPDATE|DELETE|REPLACE)$/.test(action.verb),
  );
}
