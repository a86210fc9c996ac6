/** Service-wide facts needed to plan an operation. */
import type { CheckedDeferred } from '../../../analyze/check/checked.js';
import type { DeclaredValues } from '../../../analyze/operations/declared-values.js';
import type { ThirdPartyRequest } from '../../../analyze/operations/requests/third-party-request.js';
import { omittedFields } from '../../../analyze/operations/omitted-fields.js';
import { SealedRows } from '../../../analyze/operations/secrets/sealed-rows.js';
import { storedClaims, type StoredClaims } from '../../../analyze/operations/stored-claims.js';
import type { Omitted } from '../../../../runtime/responses/omitted-fields.js';
import type {
  Config,
  Datasource,
  ListFilter,
  ListOrder,
  Message,
  Operation,
  Request,
  Response,
} from '../../../read/config/config-model.js';
import type { Expression } from '../../../read/expression/ast.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import type { FilterPlan, ListPlan } from '../results/list-plan.js';
import type { CalledOperation } from '../operation-plan.js';
import type { DatasourceIdentifier } from './identifiers.js';

/** Facts about a datasource needed to plan an operation. */
export interface DatasourceName {
  readonly identifier: DatasourceIdentifier;
}

/** Facts about statements that only their databases know, and about requests that only their third parties know. */
export interface OutsideFacts {
  /** Whether the statement may be sent again or ahead of its turn. */
  isRetryable(statement: SqlStatement): boolean;
  /** Whether views or functions used by the statement leave state on the connection. */
  changesSession(statement: SqlStatement): boolean;
  /** The request in its third party's description. */
  thirdParty(request: Request, datasource: Datasource): ThirdPartyRequest | undefined;
  /** The operation that references call by that name. */
  operation(name: string): Operation | undefined;
  /** The columns that rows can be ordered by, by order name. */
  ordersOf(order: ListOrder, statement: SqlStatement): ListPlan['orders'];
  /** Whether the value is HTML that a user function returns. */
  isHtml(value: Expression): boolean;
  /** The query parameters that hold API keys. */
  readonly secretParameters: readonly string[];
  /** The conditions that requests can choose for the rows. */
  filterOf(filter: ListFilter, statement: SqlStatement, operation: Operation): FilterPlan;
}

export class ServiceNames {
  constructor(
    private readonly datasources: ReadonlyMap<Datasource, DatasourceName | undefined>,
    private readonly operations: ReadonlyMap<Operation, CalledOperation>,
    /** Declarations in the API description of the values that operations read. */
    readonly declared: DeclaredValues,
    /** Whether handlers record their steps for the test page. */
    readonly debug: boolean,
    readonly facts: OutsideFacts,
    private readonly config: Config,
    private readonly sealed = new SealedRows(config.operations),
  ) {}

  /** The fields of objects that the JSON of the response leaves out. */
  omittedFields(response: Response): Omitted | undefined {
    return omittedFields(response, this.config.settings);
  }

  /** The claims stored with a call after the commit, and whether they are sealed. */
  storedCall(
    { written, called }: Pick<CheckedDeferred, 'written' | 'called'>,
    operation: Operation,
  ): { readonly claims: StoredClaims; readonly isSealed: boolean } {
    return {
      claims: storedClaims(called, this.config),
      isSealed: this.sealed.isSealedCall(written, operation),
    };
  }

  /** Whether the request is stored encrypted. */
  isSealed(request: Request, operation: Operation): boolean {
    return request.isDelivered && this.sealed.isSealedRequest(request, operation);
  }

  /** Whether the mail is stored encrypted. */
  isSealedMessage(message: Message, operation: Operation): boolean {
    return message.isDelivered && this.sealed.isSealedMessage(message, operation);
  }

  datasource(datasource: Datasource): DatasourceName {
    return known(this.datasources.get(datasource));
  }

  operation(operation: Operation): CalledOperation {
    return known(this.operations.get(operation));
  }
}

/** Asserts that the value exists, because the question and the value belong to the same configuration. */
export function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('This is of another configuration.');
  return value;
}
