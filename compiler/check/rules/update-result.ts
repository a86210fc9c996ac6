/**
 * What an UPDATE gives on MySQL and MariaDB: one row with `insert_id` and `affected_rows`, never none and nothing else (decisions 5.7);
 * on PostgreSQL the changed rows, which have neither.
 */
import type { DataFulfillment, Operation } from '../../config/config-model.js';
import { walkOperation } from '../../config/walk.js';
import type { Expression, Path } from '../../expression/ast.js';
import { visit } from '../../expression/visit.js';
import type { Report } from '../../diagnostics/report.js';
import type { Rule } from '../rule.js';

export const updateResult: Rule = ({ operations }, report) => {
  for (const operation of operations) checkOperation(operation, report);
};

function checkOperation(operation: Operation, report: Report): void {
  walkOperation(operation, (expression, { visible }) => {
    const updateNamed = (name: string): DataFulfillment | undefined => {
      const fulfillment = visible.get(name);
      return fulfillment !== undefined && isUpdate(fulfillment) ? fulfillment : undefined;
    };
    visit(expression, (node) => {
      if (node.kind === 'value') {
        const field = fieldIn(node.path);
        const update = updateNamed(node.name);
        if (update === undefined || field === undefined) return;
        const isOfOutcome = columns.includes(field);
        if (givesOutcome(update) && !isOfOutcome)
          report.add('update-field', node.place, { name: node.name, field, syntax: operation.syntax });
        if (givesChangedRows(update) && isOfOutcome)
          report.add('sql-update-columns', node.place, { name: node.name, field, syntax: operation.syntax });
      }
      if (node.kind !== 'comparison') return;
      for (const [side, other] of [
        [node.left, node.right],
        [node.right, node.left],
      ] as const) {
        const name = testedName(side, other);
        const update = name === undefined ? undefined : updateNamed(name);
        if (name === undefined || update === undefined) continue;
        if (!givesOutcome(update) || mayBeSkipped(update)) continue;
        const count = operation.syntax === 'B' ? `${name}.affected_rows` : `VALUE(${name}, $.affected_rows)`;
        // What is compared with a number goes on being so; a test for null becomes one for zero.
        const zero = `${count} ${node.operator} ${operation.syntax === 'B' ? '0' : 'INTEGER(0)'}`;
        const [place, instead] = side.kind === 'size' ? [side.place, count] : [node.place, zero];
        report.add('update-never-empty', place, { name, instead });
      }
    });
  });
}

const columns: readonly string[] = ['insert_id', 'affected_rows'];

function isUpdate(fulfillment: { readonly type: string }): fulfillment is DataFulfillment {
  return fulfillment.type === 'UPDATE';
}

/** Whether every statement of it is one that gives that row, and no rows of its own by RETURNING. */
function givesOutcome({ instructions }: DataFulfillment): boolean {
  return instructions.every(
    ({ action }) =>
      action !== undefined &&
      !('kind' in action) &&
      action.dialect === 'mysql' &&
      !action.returnsRows &&
      /^(?:INSERT|UPDATE|DELETE|REPLACE)$/.test(action.verb),
  );
}

/** Whether every statement of it is one of PostgreSQL that is given its RETURNING. */
function givesChangedRows({ instructions }: DataFulfillment): boolean {
  return instructions.every(
    ({ action }) => action !== undefined && !('kind' in action) && action.takesReturning,
  );
}

/** A skipped one has no result, and then the tests mean something. */
function mayBeSkipped({ if: condition, instructions }: DataFulfillment): boolean {
  return condition !== undefined || instructions.every((instruction) => instruction.if !== undefined);
}

/** The field of the row that is read. */
function fieldIn(path: Path): string | undefined {
  const step = path[0]?.kind === 'name' ? path[0] : path[1];
  return step?.kind === 'name' ? step.name : undefined;
}

/** The fulfillment whose result is tested for being there: `upd == null`, `upd.size() == 0`, `SIZE(VALUE(upd, $)) <= INTEGER(0)`. */
function testedName(side: Expression, other: Expression): string | undefined {
  const isWhole = (node: Expression): node is Extract<Expression, { kind: 'result' | 'value' }> =>
    node.kind === 'result' || (node.kind === 'value' && node.path.length === 0);
  if (isWhole(side) && other.kind === 'null') return side.name;
  return side.kind === 'size' && isWhole(side.of) && other.kind === 'number' ? side.of.name : undefined;
}
