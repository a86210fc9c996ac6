/** What the plan of an operation has to know of the rest of the service. */
import type { DeclaredValues } from '../../../analyze/operations/declared-values.js';
import type { Datasource, Operation } from '../../../read/config/config-model.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import type { CalledOperation } from '../steps.js';

/** What an operation has to know of a datasource. */
export interface DatasourceName {
  readonly identifier: string;
}

export class ServiceNames {
  constructor(
    private readonly datasources: ReadonlyMap<Datasource, DatasourceName | undefined>,
    private readonly operations: ReadonlyMap<Operation, CalledOperation>,
    /** What the API description declares of the values that operations read. */
    readonly declared: DeclaredValues,
    /** Whether handlers record their steps for the test page. */
    readonly debug: boolean,
    /** Whether a statement may be sent again, or before its turn. */
    readonly isRetryable: (statement: SqlStatement) => boolean,
  ) {}

  datasource(datasource: Datasource): DatasourceName {
    return known(this.datasources.get(datasource));
  }

  operation(operation: Operation): CalledOperation {
    return known(this.operations.get(operation));
  }
}

function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('This is of another configuration.');
  return value;
}
