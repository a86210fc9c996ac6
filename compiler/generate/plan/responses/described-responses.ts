/** The parts of third-party responses that an operation reads, with their schemas in the third party's description. */
import type { AnalyzedOperation } from '../../../analyze/operations/analyzed-operation.js';
import { readOf } from '../../../analyze/check/read-path.js';
import type { Request } from '../../../read/config/config-model.js';
import { allFulfillments } from '../../../read/config/walk.js';
import type { Expression, Path } from '../../../read/expression/ast.js';
import type { ApiEndpoint, ApiSchema } from '../../../read/openapi/api-model.js';
import { wordSet } from '../../../read/wordset.js';
import { anything } from '../../../read/openapi/schema-draft.js';
import { nodesIn } from '../../../read/expression/visit.js';

/** The responses of one request. */
export interface DescribedResponses {
  /** Property name in the operation's constant. */
  readonly name: string;
  /** Schemas by status, `2XX` or `default`. */
  readonly schemas: readonly (readonly [status: string, schema: ApiSchema])[];
}

/** The parts of a value that are read. */
export interface Reads {
  readonly fields: Map<string, Reads>;
  elements: Reads | undefined;
  /** Number of levels that are read regardless of field names. */
  levels: number;
}

/** Levels read for a value that is passed on as a whole. */
const levelsOfWhole = 3;

/** Max properties per request; beyond this number, only properties named in expressions are compared. */
const maxProperties = 200;

/** Max schemas visited per request, because schemas can be part of many others. */
const maxParts = 3000;

/** The parts of request results that an operation reads. */
export type ReadsOfResults = ReadonlyMap<Request, Reads>;

/** Reads by request; requests that are not described or whose responses are not read are omitted. */
export function readsOfResults({ operation, flow }: AnalyzedOperation): ReadsOfResults {
  const lists = new Set<Expression>();
  for (const { fulfillment } of allFulfillments(operation.fulfillments))
    if (fulfillment.type === 'LOOP' && fulfillment.loop !== undefined) lists.add(fulfillment.loop);
  for (const schema of flow.built.keys()) if (schema.kind === 'array') lists.add(schema.list);
  const found = new Map<Request, Reads>();
  for (const { expression, environment } of flow.evaluations)
    for (const node of nodesIn(expression)) {
      const read = readOf(node, environment);
      const claim = read?.type.claim;
      if (read === undefined || claim?.path === undefined) continue;
      const reads = found.get(claim.request) ?? nothingRead();
      found.set(claim.request, reads);
      const inner = innermost(reads, [...claim.path, ...read.path]);
      // Operands are compared or measured as a whole; elements of a list are read where the list is used.
      if (node === expression && !lists.has(node)) inner.levels = levelsOfWhole;
    }
  return found;
}

export function nothingRead(): Reads {
  return { fields: new Map(), elements: undefined, levels: 0 };
}

function innermost(reads: Reads, path: Path): Reads {
  return path.reduce((at, step) => {
    if (step.kind !== 'name') return (at.elements ??= nothingRead());
    const field = at.fields.get(step.name) ?? nothingRead();
    at.fields.set(step.name, field);
    return field;
  }, reads);
}

/** The response schemas, reduced to the parts that are read. `withFailures` includes statuses other than 2xx. */
export function readSchemas(
  { responses }: ApiEndpoint,
  reads: Reads,
  withFailures: boolean,
): DescribedResponses['schemas'] {
  const budget = { left: maxProperties, parts: maxParts };
  return [...responses].flatMap(([status, { json }]): [string, ApiSchema][] => {
    const isRead = withFailures || status.startsWith('2') || status === 'default';
    return json === undefined || !isRead ? [] : [[status, new Reader(budget).part(json, reads)]];
  });
}

/** The schema, reduced to the parts of the value that are read. */
export function partThatIsRead(schema: ApiSchema, reads: Reads): ApiSchema {
  return new Reader({ left: maxProperties, parts: maxParts }).part(schema, reads);
}

/** Applies the same reads to each part of a schema. */
class Reader {
  readonly #seen = new Set<ApiSchema>();

  constructor(private readonly budget: { left: number; parts: number }) {}

  part(schema: ApiSchema, reads: Reads): ApiSchema {
    const { types, enum: values, format, nullable, span, required } = schema;
    this.budget.parts -= 1;
    if (this.#seen.has(schema) || this.budget.parts < 0) return anything(schema);
    this.#seen.add(schema);
    const properties = new Map(this.#properties(schema, reads));
    const parts = (list: readonly ApiSchema[]): ApiSchema[] => list.map((one) => this.part(one, reads));
    const alternatives = [schema.anyOf, schema.oneOf]
      .map(parts)
      .filter((list) => list.length > 0 && !list.some(isAnything));
    const [first = [], ...others] = alternatives;
    const elements = this.#elements(schema, reads);
    const made = {
      ...{ types, properties, enum: values, format, span, ...elements },
      ...(nullable === true && { nullable }),
      required: required.filter(
        (name) => properties.has(name) && schema.properties.get(name)?.writeOnly !== true,
      ),
      bounds: new Map([...schema.bounds].filter(([name]) => compared.has(name))),
      // Several alternatives may contain the parts that are read.
      anyOf: first,
      allOf: [
        ...parts(schema.allOf).filter((one) => !isAnything(one)),
        ...others.map((anyOf) => ({ ...anything(schema), anyOf })),
      ],
    };
    this.#seen.delete(schema);
    return { ...anything(schema), ...made };
  }

  #properties(schema: ApiSchema, { fields, levels }: Reads): [string, ApiSchema][] {
    const { properties, additionalProperties: others } = schema;
    const named = [...fields.keys()].filter((name) => properties.has(name) || typeof others === 'object');
    const all = levels > 0 ? [...properties.keys()].filter((name) => !fields.has(name)) : [];
    const affordable = all.slice(0, Math.max(0, this.budget.left));
    this.budget.left -= named.length + affordable.length;
    const inOrder = new Set([...properties.keys(), ...named]);
    const read = new Set([...named, ...affordable]);
    return [...inOrder].flatMap((name): [string, ApiSchema][] => {
      const property = properties.get(name) ?? (others === false ? undefined : others);
      if (property === undefined || !read.has(name)) return [];
      return [[name, new Reader(this.budget).part(property, withLevels(fields.get(name), levels - 1))]];
    });
  }

  /** The element schemas; a name also reads a field of the first element. */
  #elements(
    { items, prefixItems }: ApiSchema,
    { elements, fields, levels }: Reads,
  ): Pick<ApiSchema, 'items'> {
    const isRead = elements !== undefined || fields.size > 0 || levels > 0;
    if (items === undefined || prefixItems !== undefined || !isRead) return { items: undefined };
    const ofFirst = { fields, elements: undefined, levels: 0 };
    const inner = elements === undefined ? ofFirst : { ...elements, fields: merged(elements.fields, fields) };
    return { items: new Reader(this.budget).part(items, withLevels(inner, levels - 1)) };
  }
}

function merged(one: ReadonlyMap<string, Reads>, other: ReadonlyMap<string, Reads>): Map<string, Reads> {
  return new Map([...other, ...one]);
}

function withLevels(reads: Reads | undefined, levels: number): Reads {
  const { fields, elements, levels: own } = reads ?? nothingRead();
  return { fields, elements, levels: Math.max(own, levels) };
}

/** Keywords that are checked in predictable time and with short messages. */
const compared = wordSet('minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf');

function isAnything(schema: ApiSchema): boolean {
  const { types, properties, required, items, allOf, anyOf, enum: values, format, bounds } = schema;
  const parts = [items, types, values, format].filter((one) => one !== undefined);
  return parts.length + properties.size + required.length + allOf.length + anyOf.length + bounds.size === 0;
}
