/** All statements of a service with their locations. */
import type { CheckedInstruction } from '../../analyze/check/checked.js';
import type { LoopFulfillment } from '../../read/config/config-model.js';
import {
  allSteps,
  type ServiceView,
  type ViewedOperation,
  type ViewedStep,
} from '../explain/service-view.js';
import type { SqlStatement } from '../../read/sql/statement.js';

export interface AuditedStatement {
  readonly operation: ViewedOperation;
  readonly step: ViewedStep & { readonly kind: 'data' };
  /** The innermost enclosing loop. */
  readonly loop: LoopFulfillment | undefined;
  readonly statement: SqlStatement;
}

export function statementsOf({ operations }: Pick<ServiceView, 'operations'>): AuditedStatement[] {
  return operations.flatMap((operation) =>
    allSteps(operation).flatMap(({ viewed, loops }) => {
      if (viewed.kind !== 'data') return [];
      const loop = loops.at(-1)?.checked.written;
      return viewed.checked.instructions
        .map(({ action }) => statementIn(action))
        .flatMap((statement) =>
          statement === undefined ? [] : [{ operation, step: viewed, loop, statement }],
        );
    }),
  );
}

function statementIn(action: CheckedInstruction['action']): SqlStatement | undefined {
  return action.kind === 'statement' ? action.statement : undefined;
}
