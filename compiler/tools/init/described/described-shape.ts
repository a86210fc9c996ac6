/** Extracts facts from schemas of an API description: fields of objects, lists in responses, and success statuses. */
import type { ApiEndpoint, ApiSchema, ApiType } from '../../../read/openapi/api-model.js';
import { expectsOthers } from '../../../read/openapi/schema-part.js';

/** Fields of an object. */
export interface ObjectShape {
  /** The name of the model, if it has one. */
  readonly model: string | undefined;
  readonly properties: ReadonlyMap<string, ApiSchema>;
  /** Names of fields that are always present. */
  readonly required: ReadonlySet<string>;
  /** Whether further fields are expected. */
  readonly isOpen: boolean;
}

/** Undefined unless the schema is an object with known fields. Parts of `allOf` are merged. */
export function objectShape(schema: ApiSchema | undefined): ObjectShape | undefined {
  if (schema === undefined || (schema.types !== undefined && !schema.types.includes('object')))
    return undefined;
  if (schema.oneOf.length > 0 || schema.anyOf.length > 0) return undefined;
  const properties = new Map<string, ApiSchema>();
  const required = new Set<string>();
  const seen = new Set<ApiSchema>();
  let isOpen = false;
  const add = (part: ApiSchema): void => {
    if (seen.has(part)) return;
    seen.add(part);
    for (const inner of part.allOf) add(inner);
    // Later parts override earlier ones.
    for (const [name, property] of part.properties) properties.set(name, property);
    for (const name of part.required) required.add(name);
    isOpen ||= expectsOthers(part);
  };
  add(schema);
  return properties.size === 0 ? undefined : { model: schema.model, properties, required, isOpen };
}

/** A list of rows in a response. */
export interface ListShape {
  /** The field that contains the list; undefined if the response itself is the list. */
  readonly field: string | undefined;
  readonly item: ObjectShape;
  /** The object around the list. */
  readonly around: ObjectShape | undefined;
}

/** A list of objects, or an object that contains exactly one such list. */
export function listShape(schema: ApiSchema | undefined): ListShape | undefined {
  const item = itemOf(schema);
  if (item !== undefined) return { field: undefined, item, around: undefined };
  const around = objectShape(schema);
  const lists = [...(around?.properties ?? [])].flatMap(([field, property]) => {
    const inner = itemOf(property);
    return inner === undefined ? [] : [{ field, item: inner, around }];
  });
  return lists.length === 1 && isEnvelope(around, lists[0]?.field) ? lists[0] : undefined;
}

/** Field names that are common in objects around lists, but rare in rows. */
const envelope =
  /^(?:data|items?|results?|rows|entries|records|list|content|values|page|paging|pagination|sort|meta|metadata|total|count|size|limit|offset|links?|next|prev|previous|has.*|more)$/i;

/** Whether the other fields of the object describe the list: a customer with orders is not a list of orders. */
function isEnvelope(around: ObjectShape | undefined, field: string | undefined): boolean {
  return [...(around?.properties ?? [])].every(
    ([name, schema]) =>
      name === field ||
      envelope.test(name) ||
      /total|count|page|cursor|limit|offset|(?:next|continuation)[-_]?(?:token|marker)/i.test(name) ||
      // A constant such as `object: list`.
      schema.enum?.length === 1,
  );
}

function itemOf(schema: ApiSchema | undefined): ObjectShape | undefined {
  return schema?.types?.includes('array') === true ? objectShape(schema.items) : undefined;
}

/** A single row in a response. */
export interface OneShape {
  /** The field that contains the row; undefined if the response itself is the row. */
  readonly field: string | undefined;
  readonly row: ObjectShape;
}

export function oneShape(schema: ApiSchema | undefined): OneShape | undefined {
  const shape = objectShape(schema);
  if (shape === undefined) return undefined;
  const [only, ...others] = shape.properties;
  const inner = only === undefined || others.length > 0 ? undefined : objectShape(only[1]);
  return inner === undefined ? { field: undefined, row: shape } : { field: only?.[0], row: inner };
}

/** The success status, and the schema of its JSON body. */
export interface Success {
  readonly status: number;
  readonly json: ApiSchema | undefined;
}

export function successOf({ responses, method }: ApiEndpoint): Success {
  const ranges: Readonly<Record<string, number>> = { '2XX': method === 'POST' ? 201 : 200, default: 200 };
  const known = [...responses].flatMap(([key, { json }]) => {
    const status = ranges[key] ?? Number(key);
    return status >= 200 && status < 400 ? [{ status, json, isDefault: key === 'default' }] : [];
  });
  const [first] = known.sort((one, other) => rank(one) - rank(other));
  // The `default` response usually describes errors.
  if (first === undefined || (first.isDefault && responses.size > 1)) return { status: 200, json: undefined };
  return first.status === 204 || first.status === 205 || first.status === 304
    ? { status: first.status, json: undefined }
    : { status: first.status, json: first.json };
}

function rank({ status, isDefault }: { readonly status: number; readonly isDefault: boolean }): number {
  return isDefault ? 1000 : status;
}

export function isNullable({ types, nullable, enum: listed }: ApiSchema): boolean {
  return nullable === true || types?.includes('null') === true || listed?.includes(null) === true;
}

/** The only type besides null; undefined if there are several types, or any type. */
export function onlyType({ types }: ApiSchema): ApiType | undefined {
  const [first, ...others] = (types ?? []).filter((type) => type !== 'null');
  return others.length === 0 ? first : undefined;
}
