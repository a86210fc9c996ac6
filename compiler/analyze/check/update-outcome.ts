/**
 * The result of an UPDATE on MySQL and MariaDB, for the rules about it: exactly one row with `insert_id` and `affected_rows` (decisions
 * 5.7).
 */
import type { DataFulfillment } from '../../read/config/config-model.js';
import type { Scope } from '../../read/config/walk.js';
import type { Path } from '../../read/expression/ast.js';

/** The columns of that row. */
export const outcomeColumns: ReadonlySet<string> = new Set(['insert_id', 'affected_rows']);

/** The UPDATE of that name that an expression reads. */
export function updateNamed(name: string, { visible }: Scope): DataFulfillment | undefined {
  const fulfillment = visible.get(name);
  return fulfillment?.type === 'UPDATE' ? fulfillment : undefined;
}

/** The field of the row that a path reads. */
export function fieldRead(path: Path): string | undefined {
  const step = path[0]?.kind === 'name' ? path[0] : path[1];
  return step?.kind === 'name' ? step.name : undefined;
}

/** Whether each of its statements returns that row, and no rows of its own by RETURNING. */
export function returnsOutcome({ instructions }: DataFulfillment): boolean {
  return instructions.every(
    ({ action }) =>
      action !== undefined &&
      !('kind' in action) &&
      action.dialect === 'mysql' &&
      !action.returnsRows &&
      /^(?:INSERT|UPDATE|DELETE|REPLACE)$/.test(action.verb),
  );
}
