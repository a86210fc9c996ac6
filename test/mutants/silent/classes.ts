/** All classes of errors that the first version of the compiler did not report. */
import { columnClasses } from './columns.js';
import { conditionClasses } from './conditions.js';
import type { ErrorClass } from './edit.js';
import { flowClasses } from './flow.js';
import { operationClasses } from './operations.js';
import { statementClasses } from './statements.js';

export const classes: readonly ErrorClass[] = [
  ...columnClasses,
  ...conditionClasses,
  ...statementClasses,
  ...flowClasses,
  ...operationClasses,
];
