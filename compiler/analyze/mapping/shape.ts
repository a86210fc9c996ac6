/** The shape of a schema of the API description for mappings: a list, or an object; a plain value is one without fields. */
import type { ApiSchema } from '../../read/openapi/api-model.js';
import type { Span } from '../../read/source.js';

export type Shape = ObjectShape | ListShape;

export interface ListShape {
  readonly kind: 'list';
  readonly items: ApiSchema;
  /** True for a list of lists. */
  readonly isNested: boolean;
}

/** The identity of the subject of a schema: the model's name, or the schema itself without one. */
export type Subject = string | ApiSchema;

export interface ObjectShape {
  readonly kind: 'object';
  readonly subject: Subject;
  /** The model's name and those of the models in its `allOf`, in this order. */
  readonly models: readonly string[];
  /** Fields of all parts of an `allOf`, in the order of the description. */
  readonly properties: ReadonlyMap<string, ApiSchema>;
  readonly required: ReadonlySet<string>;
  /** Where the first of them is required. */
  readonly requiredSpan: Span | undefined;
  /** Further fields that it may have, without saying when. */
  readonly open: readonly { readonly keyword: string; readonly schema: ApiSchema }[];
}

export function shapeOf(schema: ApiSchema): Shape {
  const schemas = partsOf(schema);
  const items = itemsOf(schemas);
  if (items !== undefined) return { kind: 'list', items, isNested: itemsOf(partsOf(items)) !== undefined };
  const properties = new Map<string, ApiSchema>();
  for (const part of schemas) for (const [name, property] of part.properties) properties.set(name, property);
  return {
    kind: 'object',
    subject: subjectOf(schema),
    models: [...new Set(schemas.flatMap(({ model }) => model ?? []))],
    properties,
    required: new Set(schemas.flatMap(({ required }) => required)),
    requiredSpan: schemas.find(({ requiredSpan }) => requiredSpan !== undefined)?.requiredSpan,
    open: schemas.flatMap(openOf),
  };
}

/** The schema, the parts of its `allOf`, and an alternative that is the only one: they describe one value together. */
function partsOf(schema: ApiSchema): ApiSchema[] {
  const parts = new Set([schema]);
  for (const part of parts) {
    for (const other of part.allOf) parts.add(other);
    for (const [, alternatives] of alternativesOf(part)) {
      const [only, ...more] = alternatives;
      if (only !== undefined && more.length === 0) parts.add(only);
    }
  }
  return [...parts];
}

/** A schema that only refers to another one (`allOf` with one part, or with null as an alternative) has the subject of that one. */
function subjectOf(schema: ApiSchema): Subject {
  let subject = schema;
  for (const seen = new Set<ApiSchema>(); subject.model === undefined && !seen.has(subject);) {
    seen.add(subject);
    const [only, ...more] = [...subject.allOf, ...alternativesOf(subject).flatMap(([, schemas]) => schemas)];
    if (subject.properties.size === 0 && only !== undefined && more.length === 0) subject = only;
  }
  return subject.model ?? subject;
}

function itemsOf(parts: readonly ApiSchema[]): ApiSchema | undefined {
  return parts.find(({ items }) => items !== undefined)?.items;
}

/** Without `{type: 'null'}`, which only makes a model nullable. */
function alternativesOf({ oneOf, anyOf }: ApiSchema): [string, ApiSchema[]][] {
  const isNull = ({ types }: ApiSchema): boolean => types?.length === 1 && types[0] === 'null';
  return [
    ['oneOf', oneOf.filter((alternative) => !isNull(alternative))],
    ['anyOf', anyOf.filter((alternative) => !isNull(alternative))],
  ];
}

function openOf(schema: ApiSchema): { keyword: string; schema: ApiSchema }[] {
  const { additionalProperties: others } = schema;
  return [
    ...alternativesOf(schema).flatMap(([keyword, alternatives]) =>
      alternatives.length < 2 ? [] : alternatives.map((alternative) => ({ keyword, schema: alternative })),
    ),
    ...(others === undefined || others === false
      ? []
      : [{ keyword: 'additionalProperties', schema: others }]),
  ];
}

/** Whether null is a value of the schema. */
export function allowsNull(schema: ApiSchema, seen = new Set<ApiSchema>()): boolean {
  if (schema.nullable === true || seen.has(schema)) return true;
  seen.add(schema);
  const { types, enum: values, allOf, anyOf, oneOf } = schema;
  if (types?.includes('null') === false || values?.includes(null) === false) return false;
  const isAllowed = (part: ApiSchema): boolean => allowsNull(part, seen);
  return (
    allOf.every(isAllowed) &&
    [anyOf, oneOf].every((alternatives) => alternatives.length === 0 || alternatives.some(isAllowed))
  );
}

/** The shape of a field's value, or of the elements of its list. */
export function objectIn(schema: ApiSchema): ObjectShape | undefined {
  const shape = shapeOf(schema);
  const inner = shape.kind === 'list' ? shapeOf(shape.items) : shape;
  return inner.kind === 'list' ? undefined : inner;
}

/** The name of a model that has fields. */
export function nameOf(shape: ObjectShape | undefined): string | undefined {
  return shape === undefined || shape.properties.size === 0 ? undefined : shape.models[0];
}
