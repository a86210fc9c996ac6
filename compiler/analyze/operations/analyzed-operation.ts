/** Facts about one operation: computed once, on first use. */
import type {
  Fulfillment,
  LoopFulfillment,
  Mapping,
  Operation,
  Schema,
} from '../../read/config/config-model.js';
import { allFulfillments } from '../../read/config/walk.js';
import { describedFields, type Body } from '../mapping/body-parts.js';
import { describedBody } from '../mapping/described.js';
import { mappedResponses, type MappedResponses } from '../mapping/mapped-responses.js';
import type { ApiDescription, ApiEndpoint } from '../../read/openapi/api-model.js';
import type { Flow } from '../types/flow.js';
import { typeOf } from '../types/infer.js';
import { digitsOf, promisedElement, type Digits } from '../types/sent-digits.js';
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

  readonly #digits = new Lazy(
    () => new Map<Schema | Body, Digits>([...this.flow.digits, ...this.#mappedDigits()]),
  );

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

  /** Leaves of its schemas, and parts of its mapped bodies, whose numbers are sent as strings. */
  get digits(): ReadonlyMap<Schema | Body, Digits> {
    return this.#digits.value;
  }

  /** Types of its request. */
  get request(): RequestTypes {
    return this.types.request(this.operation);
  }

  /** The types of its values, and its conditions with a constant result. */
  get flow(): Flow {
    return this.types.flow(this.operation);
  }

  *#mappedDigits(): Generator<[Body, Digits]> {
    const { environments } = this.flow;
    for (const [response, body] of this.mapped.bodies) {
      const described = describedBody(response, this.endpoint);
      const promised = this.types.promised(this.operation, response);
      if (described === undefined || promised === undefined) continue;
      for (const { value, schema } of describedFields(body, described)) {
        if (value.kind !== 'value' && value.kind !== 'column') continue;
        const environment = environments.get(value.value);
        if (environment === undefined) continue;
        const type = typeOf(value.value, environment);
        const field = { ...promised, schemas: [schema] };
        // A column is a list with the value of each row.
        const digits =
          value.kind === 'value' || type.element !== undefined
            ? digitsOf(type, field)
            : digitsOf(type, promisedElement(field));
        if (digits !== undefined) yield [value, digits];
      }
    }
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
