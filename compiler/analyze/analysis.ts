/** What follows from a configuration and an API description: computed once, and only when it is asked for. */
import type { Config, Datasource, Operation, Request } from '../config/config-model.js';
import { calledNames, withCalled } from '../config/walk.js';
import type { ApiDescription, ApiEndpoint } from '../openapi/api-model.js';
import { matchingEndpoint } from '../openapi/match.js';
import type { Place } from '../source.js';
import { AnalyzedOperation } from './analyzed-operation.js';
import { DeclaredValues } from './declared-values.js';
import { takeApart, type UrlReading } from './request-url.js';

export class Analysis {
  /** In the order of the file. */
  readonly operations: readonly AnalyzedOperation[];
  /** The names of the operations that reference calls run. */
  readonly called: ReadonlySet<string>;
  /** The operations with `transaction: true`, and those that they call (decisions 5.10). */
  readonly insideTransactions: ReadonlySet<Operation>;
  /** What the API description says of the values that operations read. */
  readonly declared: DeclaredValues;
  readonly #byName: ReadonlyMap<string, Operation>;
  readonly #endpoints: ReadonlyMap<Operation, ApiEndpoint | undefined>;
  readonly #datasources: ReadonlyMap<string, Datasource>;
  readonly #urls = new Map<Request, UrlReading | undefined>();

  constructor(
    readonly config: Config,
    readonly description: ApiDescription | undefined,
    /** The places of the errors that were found while both were read. */
    readonly mistakes: readonly Place[],
  ) {
    const { operations, datasources } = config;
    this.#byName = new Map(operations.map((operation) => [operation.name.value, operation]));
    this.#datasources = new Map(datasources.map((datasource) => [datasource.name.value, datasource]));
    this.#endpoints = new Map(
      operations.map((operation) => [
        operation,
        operation.endpoint && description && matchingEndpoint(description, operation.endpoint),
      ]),
    );
    const endpointOf = (operation: Operation): ApiEndpoint | undefined => this.#endpoints.get(operation);
    this.operations = operations.map(
      (operation) => new AnalyzedOperation(operation, endpointOf(operation), description),
    );
    this.called = calledNames(operations);
    this.insideTransactions = withCalled(
      operations.filter(({ transaction }) => transaction),
      this.#byName,
    );
    this.declared = new DeclaredValues(operations, endpointOf);
  }

  /** By its name, as references have it. */
  operation(name: string): Operation | undefined {
    return this.#byName.get(name);
  }

  /** The operation and all that it calls, directly or through others. */
  withCalled(operation: Operation): ReadonlySet<Operation> {
    return withCalled([operation], this.#byName);
  }

  /** By its name, as fulfillments have it. */
  datasource(name: string): Datasource | undefined {
    return this.#datasources.get(name);
  }

  /** The URL of a request to the datasource, taken apart; undefined where it could not be read. */
  url(request: Request, datasource: Datasource): UrlReading | undefined {
    const known = this.#urls.get(request);
    if (known !== undefined || this.#urls.has(request)) return known;
    const { url } = request;
    // An empty template was not readable, which has been reported.
    const isRead = url !== undefined && (url.value.length > 0 || url.place.start === url.place.end);
    const reading = isRead ? takeApart(url.value, datasource.url !== undefined) : undefined;
    this.#urls.set(request, reading);
    return reading;
  }
}
