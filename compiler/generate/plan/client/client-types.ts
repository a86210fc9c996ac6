/** The types of requests and responses in a client module, derived from the schemas of an API description. */
import type { SentValues } from './sent-values.js';
import type { ApiDescription, ApiSchema, ApiType } from '../../../read/openapi/api-model.js';
import { formFields } from '../../../read/openapi/form.js';

export type ClientType =
  | { readonly kind: 'unknown' | 'string' | 'number' | 'boolean' | 'null' | 'undefined' | 'Blob' }
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  /** A declared type of the module. */
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'list' | 'lines'; readonly of: ClientType }
  | { readonly kind: 'tuple'; readonly of: readonly ClientType[] }
  | { readonly kind: 'union' | 'intersection'; readonly of: readonly ClientType[] }
  | ClientRecord;

export interface ClientRecord {
  readonly kind: 'record';
  readonly fields: readonly ClientField[];
  /** The type of all other fields; undefined if no others are expected. */
  readonly others: ClientType | undefined;
}

export interface ClientField {
  readonly name: string;
  readonly type: ClientType;
  readonly isOptional: boolean;
  readonly description: string | undefined;
}

/** Whether the value is sent or received: `readOnly` and `writeOnly` properties differ. */
export type Direction = 'request' | 'response';

export const unknownType: ClientType = { kind: 'unknown' };
export const undefinedType: ClientType = { kind: 'undefined' };

/** The models of a description that a client uses. */
export interface UsedModel {
  readonly description: ApiDescription;
  /** The name in the description. */
  readonly name: string;
  readonly direction: Direction;
}

/** Returns the name of a model's type; its first call for a model declares the type. */
export type NameOfModel = (model: UsedModel) => string;

/** Converts the schemas of one description. */
export class ClientTypes {
  readonly #differing = new Map<ApiSchema, boolean>();

  constructor(
    private readonly description: ApiDescription,
    private readonly nameOf: NameOfModel,
    private readonly sent: SentValues,
  ) {}

  /** The type of a value; the name of the model if it has one. */
  of(schema: ApiSchema | undefined, direction: Direction): ClientType {
    if (schema === undefined) return unknownType;
    const { model } = schema;
    const isModel = model !== undefined && this.description.models.get(model) === schema;
    if (!isModel || isScalar(schema)) return this.content(schema, direction);
    const isEqual = direction === 'response' || !this.#differs(schema, new Set());
    const name = this.nameOf({
      description: this.description,
      name: model,
      direction: isEqual ? 'response' : 'request',
    });
    return { kind: 'named', name };
  }

  /** The type of a value, without the name of its model. */
  content(schema: ApiSchema, direction: Direction): ClientType {
    const { enum: listed, allOf, anyOf, oneOf } = schema;
    if (listed !== undefined) {
      // Descriptions of version 3.0 often leave null out of the list.
      const orNull: ClientType[] = schema.nullable === true ? [{ kind: 'null' }] : [];
      return unionOf([...listed.map(literalOf), ...orNull]);
    }
    const own = this.#ofTypes(schema, direction);
    const parts = [
      ...(hasOwnParts(schema) ? [own] : []),
      ...allOf.map((part) => this.of(part, direction)),
      ...[anyOf, oneOf].flatMap((alternatives) =>
        alternatives.length === 0
          ? []
          : [unionOf(alternatives.map((alternative) => this.of(alternative, direction)))],
      ),
    ].filter(({ kind }) => kind !== 'unknown');
    const whole = parts.length === 0 ? own : intersectionOf(parts);
    return schema.nullable === true && whole.kind !== 'unknown' ? unionOf([whole, { kind: 'null' }]) : whole;
  }

  /** The fields of a form. Files are sent as Blob, and all other values as strings. */
  form(form: Parameters<typeof formFields>[0]): ClientRecord {
    const fields = formFields(form).map(({ name, schema, required, isFile }): ClientField => {
      const one: ClientType = isFile
        ? unionOf([{ kind: 'Blob' }, ...(schema.format === 'binary' ? [] : [{ kind: 'string' } as const])])
        : this.of(schema, 'request');
      const isList = isFile && schema.items !== undefined;
      return {
        name,
        type: isList ? { kind: 'list', of: { kind: 'Blob' } } : one,
        isOptional: !required,
        description: schema.description,
      };
    });
    return { kind: 'record', fields, others: undefined };
  }

  #ofTypes(schema: ApiSchema, direction: Direction): ClientType {
    const { types } = schema;
    if (types !== undefined) return unionOf(types.map((type) => this.#ofType(type, schema, direction)));
    if (schema.properties.size > 0) return this.#record(schema, direction);
    return schema.items === undefined ? unknownType : { kind: 'list', of: this.of(schema.items, direction) };
  }

  #ofType(type: ApiType, schema: ApiSchema, direction: Direction): ClientType {
    switch (type) {
      case 'integer':
      case 'number':
        return this.sent.exact.has(schema)
          ? unionOf([{ kind: 'number' }, { kind: 'string' }])
          : { kind: 'number' };
      case 'string':
        return { kind: schema.format === 'binary' ? 'Blob' : 'string' };
      case 'boolean':
      case 'null':
        return { kind: type };
      case 'array':
        return this.#list(schema, direction);
      case 'object':
        return this.#record(schema, direction);
    }
  }

  #list({ items, prefixItems = [], bounds }: ApiSchema, direction: Direction): ClientType {
    const first = prefixItems.map((item) => this.of(item, direction));
    const isFixed = first.length > 0 && bounds.get('maxItems') === first.length;
    if (isFixed && bounds.get('minItems') === first.length) return { kind: 'tuple', of: first };
    return { kind: 'list', of: first.length > 0 ? unknownType : this.of(items, direction) };
  }

  #record(schema: ApiSchema, direction: Direction): ClientType {
    const { properties, required, additionalProperties, isOpen, patternProperties } = schema;
    const fields = [...properties].flatMap(([name, property]): ClientField[] => {
      if (direction === 'response' && property.writeOnly === true) return [];
      const isRequired = required.includes(name) && !(direction === 'request' && property.readOnly === true);
      const isNull = direction === 'response' && this.sent.canBeNull(schema, name);
      const type = this.of(property, direction);
      return [
        {
          name,
          type: isNull ? unionOf([type, { kind: 'null' }]) : type,
          isOptional: !isRequired,
          description: property.description,
        },
      ];
    });
    const isTyped = typeof additionalProperties === 'object' && patternProperties === undefined;
    const hasOthers =
      isOpen === true || typeof additionalProperties === 'object' || patternProperties !== undefined;
    // The type of other fields would also apply to the described ones.
    const others = isTyped && fields.length === 0 ? this.of(additionalProperties, direction) : unknownType;
    const isOpenObject = hasOthers || (fields.length === 0 && additionalProperties !== false);
    return { kind: 'record', fields, others: isOpenObject ? others : undefined };
  }

  /** Whether requests and responses have different types for the schema. */
  #differs(schema: ApiSchema, seen: Set<ApiSchema>): boolean {
    const known = this.#differing.get(schema);
    if (known !== undefined) return known;
    if (seen.has(schema)) return false;
    seen.add(schema);
    const { properties, items, prefixItems = [], allOf, anyOf, oneOf, additionalProperties } = schema;
    const differs =
      [...properties.values()].some((one) => one.readOnly === true || one.writeOnly === true) ||
      [...properties.keys()].some((name) => this.sent.canBeNull(schema, name)) ||
      [
        ...properties.values(),
        ...(items === undefined ? [] : [items]),
        ...prefixItems,
        ...allOf,
        ...anyOf,
        ...oneOf,
        ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
      ].some((part) => this.#differs(part, seen));
    if (seen.values().next().value === schema) this.#differing.set(schema, differs);
    return differs;
  }
}

/** Whether the type is a single word of TypeScript, which is clearer than the name of a model. */
function isScalar({ types = [], enum: listed, allOf, anyOf, oneOf }: ApiSchema): boolean {
  const isPlain = types.length > 0 && !types.some((type) => type === 'array' || type === 'object');
  return isPlain && listed === undefined && allOf.length + anyOf.length + oneOf.length === 0;
}

/** Whether the schema says more than its alternatives and parts. */
function hasOwnParts({
  types,
  properties,
  items,
  isOpen,
  additionalProperties,
  ...parts
}: ApiSchema): boolean {
  const hasFields = properties.size > 0 || items !== undefined;
  if (parts.allOf.length + parts.anyOf.length + parts.oneOf.length === 0) return true;
  const isObject = types?.includes('object') === true || types?.includes('array') === true;
  if (isObject || types === undefined)
    return hasFields || isOpen === true || typeof additionalProperties === 'object';
  return true;
}

function literalOf(value: unknown): ClientType {
  if (value === null) return { kind: 'null' };
  if (typeof value === 'number' && Number.isFinite(value)) return { kind: 'literal', value };
  if (typeof value === 'string' || typeof value === 'boolean') return { kind: 'literal', value };
  return unknownType;
}

/** A union without repetitions; unknown if one of its types is. */
export function unionOf(types: readonly ClientType[]): ClientType {
  const flat = types.flatMap((type) => (type.kind === 'union' ? type.of : [type]));
  const distinct = [...new Map(flat.map((type) => [JSON.stringify(type), type])).values()];
  if (distinct.length === 0 || distinct.some(({ kind }) => kind === 'unknown')) return unknownType;
  // Null is written last.
  const sorted = [
    ...distinct.filter(({ kind }) => kind !== 'null'),
    ...distinct.filter(({ kind }) => kind === 'null'),
  ];
  const [first] = sorted;
  return sorted.length === 1 && first !== undefined ? first : { kind: 'union', of: sorted };
}

function intersectionOf(types: readonly ClientType[]): ClientType {
  const distinct = [...new Map(types.map((type) => [JSON.stringify(type), type])).values()];
  const [first] = distinct;
  return distinct.length === 1 && first !== undefined ? first : { kind: 'intersection', of: distinct };
}
