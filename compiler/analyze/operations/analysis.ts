/** Facts about a configuration and its API description, computed once on first use. */
import type {
  CodeType,
  Config,
  Datasource,
  FunctionDeclaration,
  ListFilter,
  ListOrder,
  Operation,
  Request,
} from '../../read/config/config-model.js';
import { calledNames, deferredNames, isStatement, withCalled } from '../../read/config/walk.js';
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
import { keyParameters } from '../../read/config/key-parameters.js';
import { AllowedValues } from './statements/allowed-values.js';
import type { Expression } from '../../read/expression/ast.js';
import { DeclaredValues } from './declared-values.js';
import { kindsIn } from './statements/kind-of-value.js';
import { namesBeside } from './filter-names.js';
import { filteredColumns } from './statements/filter-columns.js';
import { orderedColumns, orderStatements } from './statements/list-columns.js';
import { takeApart, type ParsedUrl } from './requests/request-url.js';
import { servedEndpoint } from './requests/served-endpoint.js';
import { listOf } from './result-schema.js';
import { thirdPartyRequest, type ThirdPartyRequest } from './requests/third-party-request.js';

/** Facts from other files of the project. */
export interface Beside {
  /** The lower-case names of headers that `src/middleware.ts` sets. */
  readonly ownHeaders: ReadonlySet<string>;
  /** Third-party descriptions, by datasource name. */
  readonly thirdParties: ReadonlyMap<string, ThirdParty>;
  /** Whether user code can call any operation. */
  readonly hasOwnRoutes?: boolean;
}

const nothingBeside: Beside = { ownHeaders: new Set(), thirdParties: new Map() };

export class Analysis {
  /** Operations in file order. */
  readonly operations: readonly AnalyzedOperation[];
  /** The names of the operations called by references. */
  readonly called: ReadonlySet<string>;
  /** The names of the operations called after a commit. */
  readonly deferred: ReadonlySet<string>;
  /** Operations with `transaction: true`, and the operations that they call. */
  readonly insideTransactions: ReadonlySet<Operation>;
  /** Operations that can run outside of a transaction: started by their own trigger, or called by such an operation. */
  readonly outsideTransactions: ReadonlySet<Operation>;
  /** The API description's declarations for values that operations read. */
  readonly declared: DeclaredValues;
  /** The types of operations' values. */
  readonly types: ServiceTypes;
  readonly #byName: ReadonlyMap<string, Operation>;
  readonly #endpoints: ReadonlyMap<Operation, ApiEndpoint | undefined>;
  readonly #datasources: ReadonlyMap<string, Datasource>;
  readonly #urls = new Map<Request, ParsedUrl | undefined>();
  readonly #thirdParty = new Map<Request, ThirdPartyRequest | undefined>();

  constructor(
    readonly config: Config,
    readonly description: ApiDescription | undefined,
    /** The spans of errors found while reading the configuration and the description. */
    readonly errorSpans: readonly Span[],
    /** The databases' descriptions of statements. */
    readonly descriptions: StatementDescriptions = noDescriptions,
    /** The cached analyses of groups of operations that call each other, if available. */
    readonly groups?: readonly Analysis[],
    readonly beside: Beside = nothingBeside,
  ) {
    const { operations, datasources } = config;
    this.#byName = new Map(operations.map((operation) => [operation.name.value, operation]));
    this.#datasources = new Map(datasources.map((datasource) => [datasource.name.value, datasource]));
    this.#endpoints = new Map(operations.map((operation) => [operation, this.#served(operation)]));
    const endpointOf = (operation: Operation): ApiEndpoint | undefined => this.#endpoints.get(operation);
    this.called = calledNames(operations);
    this.deferred = deferredNames(operations);
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
      ({ returns }) => this.codeSchema(returns),
      (name) => this.functionReturns(name),
      config.settings.numbers === 'string',
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
    this.declared = new DeclaredValues(operations, endpointOf, (name) => this.functionReturns(name));
  }

  #served(operation: Operation): ApiEndpoint | undefined {
    const { description } = this;
    const found = operation.endpoint && description && matchingEndpoint(description, operation.endpoint);
    return found && servedEndpoint(found, operation.accepts, () => this.withCalled(operation));
  }

  /** Whether the operation has an endpoint or triggers, is called after a commit, or is not called at all. */
  #isStarted({ name, endpoint, triggers }: Operation): boolean {
    return (
      endpoint !== undefined ||
      triggers.length > 0 ||
      this.deferred.has(name.value) ||
      !this.called.has(name.value)
    );
  }

  /** The views used by the statement whose queries may change something; empty if the database is unknown. */
  viewsThatChange(statement: SqlStatement): readonly ViewEffect[] {
    return this.descriptionOf(statement)?.views ?? [];
  }

  /** Whether views or functions used by the statement leave state on its connection. */
  changesSession(statement: SqlStatement): boolean {
    return this.viewsThatChange(statement).some(({ leaves }) => leaves !== undefined);
  }

  /** Whether the statement can be repeated or executed early. */
  isRetryable(statement: SqlStatement): boolean {
    return statement.retry && this.viewsThatChange(statement).length === 0;
  }

  /** The query parameters that hold API keys. */
  get secretParameters(): readonly string[] {
    return [...keyParameters(this.config)];
  }

  /** The columns by which the rows of the statement can be ordered, by order name. */
  ordersOf(order: ListOrder, statement: SqlStatement): ReturnType<typeof orderedColumns> {
    return orderedColumns(order, statement, this.descriptionOf(statement));
  }

  /** The conditions that requests can choose for the rows of the statement, and the other names that they can send. */
  filterOf(
    filter: ListFilter,
    statement: SqlStatement,
    operation: Operation,
  ): {
    readonly allow: ReturnType<typeof filteredColumns>;
    readonly others: readonly string[];
    readonly function: string | undefined;
  } {
    const allow = filteredColumns(filter, statement, this.descriptionOf(statement));
    const { read, filtered } = namesBeside(filter, operation, this.config.operations);
    const own = new Set(allow.map(({ name }) => name));
    const others = [...new Set([...read.keys(), ...filtered])].filter((name) => !own.has(name));
    return { allow, others, function: filter.from?.kind === 'code' ? filter.from.function : undefined };
  }

  /** The database's description of a statement; undefined if no database was asked, or if it refuses the statement. */
  descriptionOf(statement: SqlStatement): Description | undefined {
    const result = this.descriptions.of(statement)?.result;
    return result !== undefined && 'description' in result ? result.description : undefined;
  }

  /** The questions for databases about all statements whose datasource exists. */
  questions(): AskedStatement[] {
    return [...this.questionsByOperation().values()].flat();
  }

  /** The questions by operation, in file order. */
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

  /** The operation with that name, as used in references. */
  operation(name: string): Operation | undefined {
    return this.#byName.get(name);
  }

  /** The operation and all operations that it calls, directly or indirectly. */
  withCalled(operation: Operation): ReadonlySet<Operation> {
    return withCalled([operation], this.#byName);
  }

  /** The datasource with that name, as used in fulfillments. */
  datasource(name: string): Datasource | undefined {
    return this.#datasources.get(name);
  }

  /** The parsed URL of a request to the datasource; undefined if it could not be read. */
  url(request: Request, datasource: Datasource): ParsedUrl | undefined {
    const known = this.#urls.get(request);
    if (known !== undefined || this.#urls.has(request)) return known;
    const { url } = request;
    // An empty template was unreadable, which has been reported.
    const isRead = url !== undefined && (url.value.length > 0 || url.span.start === url.span.end);
    const parsed = isRead ? takeApart(url.value, datasource.url !== undefined) : undefined;
    this.#urls.set(request, parsed);
    return parsed;
  }

  /** The schema of a type of user code; undefined if there is none or its model is unknown. */
  codeSchema(type: CodeType | undefined): ApiSchema | undefined {
    if (type?.kind !== 'model') return type && inlineSchema(type.node);
    const model = this.description?.models.get(type.name);
    return model !== undefined && type.isList ? listOf(model) : model;
  }

  /** The declaration of a user function that expressions call. */
  functionNamed(name: string): FunctionDeclaration | undefined {
    return this.config.functions.find((one) => one.name.value === name);
  }

  /** The schema of the results of a user function that expressions call; undefined if it is unknown. */
  functionReturns(name: string): ApiSchema | undefined {
    return this.codeSchema(this.functionNamed(name)?.returns);
  }

  /** Whether the value is HTML that a user function returns: `contentMediaType: text/html`. */
  isHtml(value: Expression): boolean {
    return value.kind === 'code' && this.functionReturns(value.function)?.isHtml === true;
  }

  /** The request in the third party's description; undefined if the datasource has no description or the endpoint is unknown. */
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
