/** Facts about an operation, computed once on first use. */
import type { Fulfillment, LoopFulfillment, Mapping, Operation } from '../../read/config/config-model.js';
import { allFulfillments } from '../../read/config/walk.js';
import { mappedResponses, type MappedResponses } from '../mapping/mapped-responses.js';
import type { ApiDescription, ApiEndpoint } from '../../read/openapi/api-model.js';
import type { Flow } from '../types/flow.js';
import type { ServiceTypes } from '../types/service-types.js';
import type { RequestTypes } from '../types/visible-values.js';
import { analyzeJoins, type Joins } from './validate-joins.js';
import { meantMappings, type MeantMappings } from './meant-mappings.js';

/** A fulfillment and its innermost loop. */
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
    /** The operation as written. */
    readonly operation: Operation,
    /** The endpoint that the operation serves; undefined if it is not described. */
    readonly endpoint: ApiEndpoint | undefined,
    private readonly description: ApiDescription | undefined,
    private readonly types: ServiceTypes,
  ) {}

  /** The fulfillment of that name that stores its results under an index; undefined without one. */
  stored(name: string): Fulfillment | undefined {
    return this.fulfillments.find(
      ({ fulfillment }) => fulfillment.name.value === name && fulfillment.fields.has('index'),
    )?.fulfillment;
  }

  /** All fulfillments, with those inside loops. */
  get fulfillments(): readonly NestedFulfillment[] {
    return this.#fulfillments.value;
  }

  /** The loop around each fulfillment, by fulfillment name; undefined outside of loops. */
  get loopsByName(): ReadonlyMap<string, LoopFulfillment | undefined> {
    return this.#loopsByName.value;
  }

  get joins(): Joins {
    return this.#joins.value;
  }

  /** The mappings with the intended models; undefined if there is no API description. */
  get meant(): MeantMappings | undefined {
    return this.#meant.value;
  }

  /** The mappings with corrected names; undefined if a name is unknown. */
  get mappings(): readonly Mapping[] | undefined {
    return this.meant === undefined ? this.operation.mappings : this.meant.mappings;
  }

  /** The responses built from mappings; empty if the intended models are unknown. */
  get mapped(): MappedResponses {
    return this.#mapped.value;
  }

  /** The types of its request values. */
  get request(): RequestTypes {
    return this.types.request(this.operation);
  }

  /** The types of its values, and its conditions with a constant result. */
  get flow(): Flow {
    return this.types.flow(this.operation);
  }
}

/** A value that is computed on first use. */
class Lazy<Value> {
  #known: { readonly value: Value } | undefined;

  constructor(private readonly compute: () => Value) {}

  get value(): Value {
    this.#known ??= { value: this.compute() };
    return this.#known.value;
  }
}
