/** The shape of a schema for mappings: a list or an object. A plain value is an object without fields. */
import type { ApiSchema } from '../../read/openapi/api-model.js';
import type { Span } from '../../read/source.js';

export type Shape = ObjectShape | ListShape;

export interface ListShape {
  readonly kind: 'list';
  readonly items: ApiSchema;
  /** True for a list of lists. */
  readonly isNested: boolean;
}

/** The identity of what a schema describes: the model's name, or the schema itself if it is not a model. */
export type Subject = string | ApiSchema;

export interface ObjectShape {
  readonly kind: 'object';
  readonly subject: Subject;
  /** The model's name, followed by the names of models in its `allOf`. */
  readonly models: readonly string[];
  /** The fields of all `allOf` parts, in description order. */
  readonly properties: ReadonlyMap<string, ApiSchema>;
  readonly required: ReadonlySet<string>;
  /** The span of the first `required`. */
  readonly requiredSpan: Span | undefined;
  /** Conditional or additional fields that the schema allows without stating when they are present. */
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

/** The schema, its `allOf` parts, and its only alternative, which together describe a single value. */
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

/** A schema that only refers to another one (`allOf` with one part, or with null as an alternative) has the same subject. */
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

/** The alternatives, without `{type: 'null'}`, which only makes a model nullable. */
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

/** Whether the schema allows null. */
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

/** The object shape of a field's value, or of its list elements. */
export function objectIn(schema: ApiSchema): ObjectShape | undefined {
  const shape = shapeOf(schema);
  const inner = shape.kind === 'list' ? shapeOf(shape.items) : shape;
  return inner.kind === 'list' ? undefined : inner;
}

/** The name of a model with fields. */
export function nameOf(shape: ObjectShape | undefined): string | undefined {
  return shape === undefined || shape.properties.size === 0 ? undefined : shape.models[0];
}
