/** The shape of a value, from the API description or from the types of a configuration, in one form that can be compared. */
import type { ApiSchema } from '../../read/openapi/api-model.js';
import type { ValueType } from '../../analyze/types/value-type.js';

export type ShapeKind = 'null' | 'boolean' | 'number' | 'integer' | 'string' | 'array' | 'object';

export interface Shape {
  /** Undefined where nothing is known, so that the value may be anything. */
  readonly kinds: ReadonlySet<ShapeKind> | undefined;
  /** All values that there can be, as JSON; undefined where they are not listed. */
  readonly values: ReadonlySet<string> | undefined;
  /** Its fields; undefined if they are unknown. */
  readonly fields: ReadonlyMap<string, ShapeField> | undefined;
  /** True where other fields are refused. */
  readonly isClosed: boolean;
  readonly element: Shape | undefined;
  /** `maxLength`, `pattern` and the like. */
  readonly bounds: ReadonlyMap<string, number | string | boolean>;
  readonly format: string | undefined;
  /** The schemas of `anyOf` and `oneOf`. */
  readonly alternatives: readonly Shape[];
  /** Where the value of a property chooses one of them. */
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
  /** True where only responses have it. */
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

/** The shape that a schema of the API description describes. Models may hold themselves: parts are looked at when they are asked for. */
export function shapeOfSchema(schema: ApiSchema): Shape {
  const earlier = known.get(schema);
  if (earlier !== undefined) return earlier;
  const shape = new DescribedShape([schema, ...partsOf(schema)]);
  known.set(schema, shape);
  return shape;
}

/** The schemas that describe the same value: those under `allOf`, and an alternative that is the only one. */
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

/** The shape of a value by the configuration, its SQL and its schemas. */
export function shapeOfType(type: ValueType): Shape {
  const { kinds, words, element } = type;
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

export function listShape(element: Shape): Shape {
  return { ...anything, kinds: new Set(['array']), element };
}

export function orNullShape(shape: Shape): Shape {
  return shape.kinds === undefined ? shape : { ...shape, kinds: new Set([...shape.kinds, 'null']) };
}
