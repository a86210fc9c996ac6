/** Facts about a configuration and an API description: computed once, on first use. */
import type {
  CodeFulfillment,
  Config,
  Datasource,
  ListOrder,
  Operation,
  Request,
} from '../../read/config/config-model.js';
import { calledNames, isStatement, withCalled } from '../../read/config/walk.js';
import type { ApiDescription, ApiEndpoint, ApiSchema } from '../../read/openapi/api-model.js';
import { inlineSchema } from '../../read/openapi/inline-schema.js';
import { matchingEndpoint } from '../../read/openapi/match.js';
import type { ThirdParty } from '../../read/openapi/third-party/third-party.js';
import type { Span } from '../../read/source.js';
import type { Description, ViewEffect } from '../../read/sql/statement-description.js';
import type { SqlStatement } from '../../read/sql/statement.js';
import { questionOf } from '../../read/sql/rewrite/question.js';
import { columnType } from '../types/column-type.js';
import { ServiceTypes } from '../types/service-types.js';
import { AnalyzedOperation } from './analyzed-operation.js';
import {
  noDescriptions,
  type AskedStatement,
  type StatementDescriptions,
} from './statements/statement-descriptions.js';
import { AllowedValues } from './statements/allowed-values.js';
import { DeclaredValues } from './declared-values.js';
import { kindsIn } from './statements/kind-of-value.js';
import { orderedColumns, orderStatements } from './statements/list-columns.js';
import { takeApart, type ParsedUrl } from './requests/request-url.js';
import { servedEndpoint } from './requests/served-endpoint.js';
import { listOf } from './result-schema.js';
import { thirdPartyRequest, type ThirdPartyRequest } from './requests/third-party-request.js';

/** Facts from the files next to the configuration. */
export interface Beside {
  /** The names of headers that `src/middleware.ts` sets, in small letters. */
  readonly ownHeaders: ReadonlySet<string>;
  /** The descriptions of third parties, by the name of the datasource. */
  readonly thirdParties: ReadonlyMap<string, ThirdParty>;
  /** Whether code of the owner may call any operation. */
  readonly hasOwnRoutes?: boolean;
}

const nothingBeside: Beside = { ownHeaders: new Set(), thirdParties: new Map() };

export class Analysis {
  /** In the order of the file. */
  readonly operations: readonly AnalyzedOperation[];
  /** The names of the operations that reference calls run. */
  readonly called: ReadonlySet<string>;
  /** The operations with `transaction: true`, and those that they call. */
  readonly insideTransactions: ReadonlySet<Operation>;
  /** The operations that also, or only, run outside of a transaction: with a trigger of their own, or called from there. */
  readonly outsideTransactions: ReadonlySet<Operation>;
  /** Declarations of the API description for values that operations read. */
  readonly declared: DeclaredValues;
  /** Types of the values of operations. */
  readonly types: ServiceTypes;
  readonly #byName: ReadonlyMap<string, Operation>;
  readonly #endpoints: ReadonlyMap<Operation, ApiEndpoint | undefined>;
  readonly #datasources: ReadonlyMap<string, Datasource>;
  readonly #urls = new Map<Request, ParsedUrl | undefined>();
  readonly #thirdParty = new Map<Request, ThirdPartyRequest | undefined>();

  constructor(
    readonly config: Config,
    readonly description: ApiDescription | undefined,
    /** The spans of the errors that were found while both were read. */
    readonly errorSpans: readonly Span[],
    /** Descriptions of its statements by the databases. */
    readonly descriptions: StatementDescriptions = noDescriptions,
    /** Analyses of its groups of operations that call each other, if they are known. */
    readonly groups?: readonly Analysis[],
    readonly beside: Beside = nothingBeside,
  ) {
    const { operations, datasources } = config;
    this.#byName = new Map(operations.map((operation) => [operation.name.value, operation]));
    this.#datasources = new Map(datasources.map((datasource) => [datasource.name.value, datasource]));
    this.#endpoints = new Map(operations.map((operation) => [operation, this.#served(operation)]));
    const endpointOf = (operation: Operation): ApiEndpoint | undefined => this.#endpoints.get(operation);
    this.called = calledNames(operations);
    const allowed = new Map<Datasource, AllowedValues>();
    const allowedIn = (datasource: Datasource): AllowedValues => {
      const known = allowed.get(datasource) ?? new AllowedValues(descriptions.tables(datasource));
      allowed.set(datasource, known);
      return known;
    };
    this.types = new ServiceTypes(
      operations,
      this.called,
      endpointOf,
      (statement) => {
        const described = descriptions.of(statement);
        if (described === undefined) return undefined;
        const { asked, result } = described;
        if ('refusal' in result) return 'none';
        const values = allowedIn(asked.datasource);
        return result.description.columns?.map((column, index) => ({
          name: column.name,
          type: columnType(column, statement, index, values.of(column)),
          isSpelledByTable: column.isSpelledByTable === true,
        }));
      },
      (request, name) => {
        const datasource = this.#datasources.get(name);
        return (datasource && this.thirdParty(request, datasource)?.successes) ?? [];
      },
      (fulfillment) => this.resultSchema(fulfillment),
    );
    const known = new Map(
      groups?.flatMap((group) => group.operations.map((analyzed) => [analyzed.operation, analyzed])),
    );
    this.operations = operations.map(
      (operation) =>
        known.get(operation) ??
        new AnalyzedOperation(operation, endpointOf(operation), description, this.types),
    );
    this.insideTransactions = withCalled(
      operations.filter(({ transaction }) => transaction),
      this.#byName,
    );
    const outside = operations.filter((operation) => !operation.transaction && this.#isStarted(operation));
    this.outsideTransactions = withCalled(outside, this.#byName, ({ transaction }) => !transaction);
    this.declared = new DeclaredValues(operations, endpointOf);
  }

  #served(operation: Operation): ApiEndpoint | undefined {
    const { description } = this;
    const found = operation.endpoint && description && matchingEndpoint(description, operation.endpoint);
    return found && servedEndpoint(found, () => this.withCalled(operation));
  }

  /** Whether something else than a call starts it, or nothing does. */
  #isStarted({ name, endpoint, triggers }: Operation): boolean {
    return endpoint !== undefined || triggers.length > 0 || !this.called.has(name.value);
  }

  /** The views that the statement names whose queries may change something, as far as its database is known. */
  viewsThatChange(statement: SqlStatement): readonly ViewEffect[] {
    return this.descriptionOf(statement)?.views ?? [];
  }

  /** Whether views or functions of the statement leave something on its connection. */
  changesSession(statement: SqlStatement): boolean {
    return this.viewsThatChange(statement).some(({ leaves }) => leaves !== undefined);
  }

  /** Whether the statement may be sent again, or before its turn. */
  isRetryable(statement: SqlStatement): boolean {
    return statement.retry && this.viewsThatChange(statement).length === 0;
  }

  /** The columns by which the rows of the statement can be ordered, by the names of the orders. */
  ordersOf(order: ListOrder, statement: SqlStatement): ReturnType<typeof orderedColumns> {
    return orderedColumns(order, statement, this.descriptionOf(statement));
  }

  /** Undefined where no database was asked, or where it refuses the statement. */
  descriptionOf(statement: SqlStatement): Description | undefined {
    const result = this.descriptions.of(statement)?.result;
    return result !== undefined && 'description' in result ? result.description : undefined;
  }

  /** Questions for databases about all statements whose datasource exists. */
  questions(): AskedStatement[] {
    return [...this.questionsByOperation().values()].flat();
  }

  /** Questions by operation, in the order of the file. */
  questionsByOperation(): ReadonlyMap<Operation, readonly AskedStatement[]> {
    return new Map(this.operations.map((analyzed) => [analyzed.operation, this.#questionsOf(analyzed)]));
  }

  #questionsOf({ operation, fulfillments }: AnalyzedOperation): AskedStatement[] {
    return fulfillments.flatMap(({ fulfillment, loop }) => {
      if (!('instructions' in fulfillment)) return [];
      const datasource = this.datasource(fulfillment.datasource.value);
      if (datasource === undefined) return [];
      const kindOf = kindsIn(this.declared, operation, loop);
      return fulfillment.instructions.flatMap(({ action }) => {
        if (!isStatement(action)) return [];
        const question = questionOf(action, kindOf);
        const orders = orderStatements(fulfillment, action, question);
        return [{ statement: action, datasource, ...question, ...(orders.length === 0 ? {} : { orders }) }];
      });
    });
  }

  /** By its name in references. */
  operation(name: string): Operation | undefined {
    return this.#byName.get(name);
  }

  /** The operation and all that it calls, directly or through others. */
  withCalled(operation: Operation): ReadonlySet<Operation> {
    return withCalled([operation], this.#byName);
  }

  /** By its name in fulfillments. */
  datasource(name: string): Datasource | undefined {
    return this.#datasources.get(name);
  }

  /** The URL of a request to the datasource, taken apart; undefined where it could not be read. */
  url(request: Request, datasource: Datasource): ParsedUrl | undefined {
    const known = this.#urls.get(request);
    if (known !== undefined || this.#urls.has(request)) return known;
    const { url } = request;
    // An empty template was not readable, which has been reported.
    const isRead = url !== undefined && (url.value.length > 0 || url.span.start === url.span.end);
    const parsed = isRead ? takeApart(url.value, datasource.url !== undefined) : undefined;
    this.#urls.set(request, parsed);
    return parsed;
  }

  /** The schema of a user function's result; undefined without a result, or for an unknown model. */
  resultSchema({ returns }: CodeFulfillment): ApiSchema | undefined {
    if (returns?.kind !== 'model') return returns && inlineSchema(returns.node);
    const model = this.description?.models.get(returns.name);
    return model !== undefined && returns.isList ? listOf(model) : model;
  }

  /** The request in the description of its datasource; undefined if it is not described, or if its endpoint is unknown. */
  thirdParty(request: Request, datasource: Datasource): ThirdPartyRequest | undefined {
    if (this.#thirdParty.has(request)) return this.#thirdParty.get(request);
    const thirdParty = this.beside.thirdParties.get(datasource.name.value);
    const url = this.url(request, datasource);
    const found =
      thirdParty && url && 'url' in url
        ? thirdPartyRequest(thirdParty, request.httpType.value, url.url, datasource)
        : undefined;
    this.#thirdParty.set(request, found);
    return found;
  }
}
