/** Shapes of values in a comparable form, from an API description or from the types of a configuration. */
import type { ApiSchema } from '../../read/openapi/api-model.js';
import type { Omitted } from '../../../runtime/responses/omitted-fields.js';
import { mayBeOmitted } from '../../analyze/operations/omitted-fields.js';
import { kindsAsSent, type ValueType } from '../../analyze/types/value-type.js';

export type ShapeKind = 'null' | 'boolean' | 'number' | 'integer' | 'string' | 'array' | 'object';

export interface Shape {
  /** Undefined if unknown: the value may be of any kind. */
  readonly kinds: ReadonlySet<ShapeKind> | undefined;
  /** All possible values as JSON; undefined if they are not enumerated. */
  readonly values: ReadonlySet<string> | undefined;
  /** Undefined if the fields are unknown. */
  readonly fields: ReadonlyMap<string, ShapeField> | undefined;
  /** Whether other fields are rejected. */
  readonly isClosed: boolean;
  readonly element: Shape | undefined;
  /** Bounds such as `maxLength` and `pattern`. */
  readonly bounds: ReadonlyMap<string, number | string | boolean>;
  readonly format: string | undefined;
  /** The schemas of `anyOf` and `oneOf`. */
  readonly alternatives: readonly Shape[];
  /** Set if the value of a property selects one of the alternatives. */
  readonly choice?: ShapeChoice | undefined;
}

/** Shapes by the value of a property. */
export interface ShapeChoice {
  readonly property: string;
  readonly shapes: ReadonlyMap<string, Shape>;
}

export interface ShapeField {
  readonly shape: Shape;
  readonly isRequired: boolean;
  /** Whether only responses contain the field. */
  readonly isReadOnly: boolean;
}

export const anything: Shape = {
  kinds: undefined,
  values: undefined,
  fields: undefined,
  isClosed: false,
  element: undefined,
  bounds: new Map(),
  format: undefined,
  alternatives: [],
};

const known = new WeakMap<ApiSchema, Shape>();

/** The shape described by a schema. Parts are computed lazily, because models may contain themselves. */
export function shapeOfSchema(schema: ApiSchema): Shape {
  const earlier = known.get(schema);
  if (earlier !== undefined) return earlier;
  const shape = new DescribedShape([schema, ...partsOf(schema)]);
  known.set(schema, shape);
  return shape;
}

/** Schemas that describe the same value: the parts of `allOf`, and a single alternative. */
function partsOf(schema: ApiSchema): ApiSchema[] {
  const inside = ({ allOf, anyOf, oneOf }: ApiSchema): ApiSchema[] => [
    ...allOf,
    ...(anyOf.length === 1 ? anyOf : []),
    ...(oneOf.length === 1 ? oneOf : []),
  ];
  const parts = new Set(inside(schema));
  for (const part of parts) for (const one of inside(part)) parts.add(one);
  parts.delete(schema);
  return [...parts];
}

class DescribedShape implements Shape {
  readonly kinds: ReadonlySet<ShapeKind> | undefined;
  readonly values: ReadonlySet<string> | undefined;
  readonly isClosed: boolean;
  readonly bounds: ReadonlyMap<string, number | string | boolean>;
  readonly format: string | undefined;

  constructor(private readonly schemas: readonly ApiSchema[]) {
    const types = schemas.find((schema) => schema.types !== undefined)?.types;
    const isNullable = schemas.some(({ nullable }) => nullable === true);
    this.kinds = types && new Set(isNullable ? [...types, 'null'] : types);
    const values = schemas.find((schema) => schema.enum !== undefined)?.enum;
    this.values = values && new Set(values.map((value) => JSON.stringify(value)));
    this.isClosed = schemas.some(({ additionalProperties }) => additionalProperties === false);
    this.bounds = new Map(schemas.flatMap(({ bounds }) => [...bounds]));
    this.format = schemas.find((schema) => schema.format !== undefined)?.format;
  }

  get fields(): ReadonlyMap<string, ShapeField> | undefined {
    const named = this.schemas.flatMap(({ properties }) => [...properties]);
    if (named.length === 0) return undefined;
    return new Map(
      named.map(([name, schema]) => [
        name,
        {
          shape: shapeOfSchema(schema),
          isRequired: this.schemas.some(({ required }) => required.includes(name)),
          isReadOnly: schema.readOnly === true,
        },
      ]),
    );
  }

  get element(): Shape | undefined {
    const items = this.schemas.find((schema) => schema.items !== undefined)?.items;
    return items && shapeOfSchema(items);
  }

  get alternatives(): readonly Shape[] {
    return this.schemas
      .flatMap(({ anyOf, oneOf }) => [anyOf, oneOf])
      .flatMap((schemas) => (schemas.length === 1 ? [] : schemas))
      .map(shapeOfSchema);
  }

  get choice(): ShapeChoice | undefined {
    const found = this.schemas.find(({ discriminator }) => discriminator !== undefined)?.discriminator;
    if (found === undefined) return undefined;
    const shapes = [...found.alternatives].map(([word, schema]) => [word, shapeOfSchema(schema)] as const);
    return { property: found.property, shapes: new Map(shapes) };
  }
}

const allKinds = 6;

/** The shape of a value according to the configuration, its SQL and its schemas. */
export function shapeOfType(type: ValueType): Shape {
  const { words, element } = type;
  const kinds = kindsAsSent(type);
  // The API description is compared there; its models may contain themselves.
  const fields = type.fields?.origin.kind === 'described' ? undefined : type.fields;
  const isKnown = kinds.size < allKinds;
  return {
    ...anything,
    kinds: isKnown ? kinds : undefined,
    values: words && new Set([...words].map((word) => JSON.stringify(word))),
    isClosed: fields?.isClosed === true,
    get fields() {
      return fields && new Map(fields.names.map((name) => [name, fieldOf(fields.typeOf(name))]));
    },
    get element() {
      return element && shapeOfType(element);
    },
  };
}

function fieldOf(type: ValueType | undefined): ShapeField {
  return { shape: type === undefined ? anything : shapeOfType(type), isRequired: true, isReadOnly: false };
}

/** An object with these fields and no others. */
export function objectShape(fields: ReadonlyMap<string, Shape>): Shape {
  return {
    ...anything,
    kinds: new Set(['object']),
    isClosed: true,
    fields: new Map(
      [...fields].map(([name, shape]) => [name, { shape, isRequired: true, isReadOnly: false }]),
    ),
  };
}

/** The shape without the fields that a response leaves out. */
export function omittingShape(shape: Shape, omitted: Omitted): Shape {
  const { fields, element } = shape;
  return {
    ...shape,
    fields:
      fields && new Map([...fields].map(([name, field]) => [name, omittingField(field, omitted)] as const)),
    element: element && omittingShape(element, omitted),
  };
}

function omittingField({ shape, isRequired, isReadOnly }: ShapeField, omitted: Omitted): ShapeField {
  const { kinds } = shape;
  const left = kinds && new Set([...kinds].filter((kind) => kind !== 'null'));
  return {
    shape: omittingShape(left === undefined || left.size === 0 ? shape : { ...shape, kinds: left }, omitted),
    isRequired: isRequired && !mayBeOmitted(kinds, omitted),
    isReadOnly,
  };
}

export function listShape(element: Shape): Shape {
  return { ...anything, kinds: new Set(['array']), element };
}

export function orNullShape(shape: Shape): Shape {
  return shape.kinds === undefined ? shape : { ...shape, kinds: new Set([...shape.kinds, 'null']) };
}
