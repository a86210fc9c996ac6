/** Facts about one operation: computed once, on first use. */
import type { Fulfillment, LoopFulfillment, Mapping, Operation } from '../../read/config/config-model.js';
import { allFulfillments } from '../../read/config/walk.js';
import { mappedResponses, type MappedResponses } from '../mapping/mapped-responses.js';
import type { ApiDescription, ApiEndpoint } from '../../read/openapi/api-model.js';
import type { Flow } from '../types/flow.js';
import type { ServiceTypes } from '../types/service-types.js';
import type { RequestTypes } from '../types/visible-values.js';
import { analyzeJoins, type Joins } from './validate-joins.js';
import { meantMappings, type MeantMappings } from './meant-mappings.js';

/** A fulfillment with the innermost loop around it. */
export interface NestedFulfillment {
  readonly fulfillment: Fulfillment;
  readonly loop: LoopFulfillment | undefined;
}

export class AnalyzedOperation {
  readonly #fulfillments = new Lazy(() => allFulfillments(this.operation.fulfillments));
  readonly #loopsByName = new Lazy(
    () => new Map(this.fulfillments.map(({ fulfillment, loop }) => [fulfillment.name.value, loop])),
  );
  readonly #joins = new Lazy(() => analyzeJoins(this.operation));
  readonly #meant = new Lazy(
    () => this.description && meantMappings(this.operation.mappings, this.description),
  );
  readonly #mapped = new Lazy(() => {
    const { operation, description, endpoint, joins, mappings = [] } = this;
    return mappedResponses({ ...operation, mappings }, description, endpoint, joins.distinct);
  });

  constructor(
    /** As it is written. */
    readonly operation: Operation,
    /** The endpoint of the API description that it serves; undefined when it is not described. */
    readonly endpoint: ApiEndpoint | undefined,
    private readonly description: ApiDescription | undefined,
    private readonly types: ServiceTypes,
  ) {}

  /** All fulfillments, with those inside loops. */
  get fulfillments(): readonly NestedFulfillment[] {
    return this.#fulfillments.value;
  }

  /** The enclosing loop of each fulfillment, by the name of the fulfillment; undefined outside of loops. */
  get loopsByName(): ReadonlyMap<string, LoopFulfillment | undefined> {
    return this.#loopsByName.value;
  }

  get joins(): Joins {
    return this.#joins.value;
  }

  /** Undefined without an API description. */
  get meant(): MeantMappings | undefined {
    return this.#meant.value;
  }

  /** With the intended names; undefined if one of them is unknown. */
  get mappings(): readonly Mapping[] | undefined {
    return this.meant === undefined ? this.operation.mappings : this.meant.mappings;
  }

  /** The responses that are built from mappings; none if the intended models are unknown. */
  get mapped(): MappedResponses {
    return this.#mapped.value;
  }

  /** Types of its request. */
  get request(): RequestTypes {
    return this.types.request(this.operation);
  }

  /** Types of its values, and its conditions that are the same for every call. */
  get flow(): Flow {
    return this.types.flow(this.operation);
  }
}

/** A value that is computed when it is first asked for. */
class Lazy<Value> {
  #known: { readonly value: Value } | undefined;

  constructor(private readonly compute: () => Value) {}

  get value(): Value {
    this.#known ??= { value: this.compute() };
    return this.#known.value;
  }
}
