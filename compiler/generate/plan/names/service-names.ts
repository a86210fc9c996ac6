/** Facts about the service that the plan of an operation needs. */
import type { DeclaredValues } from '../../../analyze/operations/declared-values.js';
import type { ThirdPartyRequest } from '../../../analyze/operations/requests/third-party-request.js';
import type { Datasource, ListOrder, Operation, Request } from '../../../read/config/config-model.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import type { ListPlan } from '../results/list-plan.js';
import type { CalledOperation } from '../operation-plan.js';
import type { DatasourceIdentifier } from './identifiers.js';

/** Facts about a datasource that an operation needs. */
export interface DatasourceName {
  readonly identifier: DatasourceIdentifier;
}

/** Facts about statements that only their databases know, and about requests that only their third parties do. */
export interface OutsideFacts {
  /** Whether it may be sent again, or before its turn. */
  isRetryable(statement: SqlStatement): boolean;
  /** Whether views or functions of it leave something on its connection. */
  changesSession(statement: SqlStatement): boolean;
  /** The request in the description of its third party. */
  thirdParty(request: Request, datasource: Datasource): ThirdPartyRequest | undefined;
  /** The columns by which its rows can be ordered, by the names of the orders. */
  ordersOf(order: ListOrder, statement: SqlStatement): ListPlan['orders'];
}

export class ServiceNames {
  constructor(
    private readonly datasources: ReadonlyMap<Datasource, DatasourceName | undefined>,
    private readonly operations: ReadonlyMap<Operation, CalledOperation>,
    /** Declarations of the API description for the values that operations read. */
    readonly declared: DeclaredValues,
    /** Whether handlers record their steps for the test page. */
    readonly debug: boolean,
    readonly facts: OutsideFacts,
  ) {}

  datasource(datasource: Datasource): DatasourceName {
    return known(this.datasources.get(datasource));
  }

  operation(operation: Operation): CalledOperation {
    return known(this.operations.get(operation));
  }
}

/** The value, which is of the same configuration as the question. */
export function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('This is of another configuration.');
  return value;
}
