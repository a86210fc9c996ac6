/** Facts about the service that the plan of an operation needs. */
import type { DeclaredValues } from '../../../analyze/operations/declared-values.js';
import type { Datasource, Operation } from '../../../read/config/config-model.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import type { CalledOperation } from '../operation-plan.js';

/** Facts about a datasource that an operation needs. */
export interface DatasourceName {
  readonly identifier: string;
}

/** Facts about a statement that only its database knows. */
export interface StatementTraits {
  /** Whether it may be sent again, or before its turn. */
  isRetryable(statement: SqlStatement): boolean;
  /** Whether views or functions of it leave something on its connection. */
  changesSession(statement: SqlStatement): boolean;
}

export class ServiceNames {
  constructor(
    private readonly datasources: ReadonlyMap<Datasource, DatasourceName | undefined>,
    private readonly operations: ReadonlyMap<Operation, CalledOperation>,
    /** Declarations of the API description for the values that operations read. */
    readonly declared: DeclaredValues,
    /** Whether handlers record their steps for the test page. */
    readonly debug: boolean,
    readonly statements: StatementTraits,
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
