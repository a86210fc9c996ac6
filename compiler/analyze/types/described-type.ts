/** The types of values described by the API description. Requests are validated before operations see them. */
import type { ApiSchema } from '../../read/openapi/api-model.js';
import { branchesOf, expectsOthers, onlyPartOf } from '../../read/openapi/schema-part.js';
import { kindsOf } from './described-kinds.js';
import type { Fields, Kind, ValueType } from './value-type.js';
import {
  arrayOf,
  booleanValue,
  nullValue,
  numberOrText,
  numberValue,
  objectOf,
  row,
  textValue,
  timeValue,
  unknownValue,
  wordOf,
} from './known-types.js';
import { either, orNull } from './join-types.js';

/** Returns the type for a part of a schema. */
type TypeOfPart = (schema: ApiSchema) => ValueType;

/** The type of the values allowed by the schema. */
export const describedType: TypeOfPart = typesKept((schema) =>
  typeIn(schema, describedType, () => undefined),
);

/** The type that a third party claims: unlike `describedType`, it trusts the kinds of alternatives if all are described. */
export const claimedType: TypeOfPart = typesKept((schema) => typeIn(schema, claimedType, kindsOf));

function typesKept(typeOf: TypeOfPart): TypeOfPart {
  const known = new WeakMap<ApiSchema, ValueType>();
  return (schema) => {
    const earlier = known.get(schema);
    if (earlier !== undefined) return earlier;
    // The elements of a recursive array have an unknown type.
    known.set(schema, unknownValue);
    const type = typeOf(schema);
    known.set(schema, type);
    return type;
  };
}

function typeIn(schema: ApiSchema, typeOf: TypeOfPart, kindsIn: typeof kindsOf): ValueType {
  const part = onlyPartOf(schema);
  if (part !== undefined) return schema.nullable === true ? orNull(typeOf(part)) : typeOf(part);
  const branches = branchesOf(schema);
  const [own] = branches;
  if (branches.length > 1 || own?.not !== undefined) return ofBranches(branches, typeOf, kindsIn(schema));
  if (schema.enum !== undefined) return ofEnum(schema.enum, schema.nullable === true);
  const types = schema.types;
  if (types === undefined) return unknownValue;
  const all = types.map((type): ValueType => {
    switch (type) {
      case 'null':
        return nullValue;
      case 'boolean':
        return booleanValue;
      case 'string':
        return schema.format === 'date-time' || schema.format === 'date' ? timeValue : textValue;
      case 'integer':
        return isSafeInteger(schema) ? numberValue : numberOrText;
      case 'number':
        return numberOrText;
      case 'array':
        return arrayOf(
          schema.items === undefined || schema.prefixItems !== undefined
            ? unknownValue
            : typeOf(schema.items),
        );
      case 'object':
        return ofObject([schema], typeOf);
    }
  });
  const [first = unknownValue, ...others] = all;
  const type = others.reduce(either, first);
  return schema.nullable === true ? orNull(type) : type;
}

/** Whether a double can represent every integer that the schema allows. */
function isSafeInteger({ format, bounds }: ApiSchema): boolean {
  if (format === 'int32') return true;
  const isWithin = (...names: readonly string[]): boolean =>
    names.some((name) => Number.isSafeInteger(bounds.get(name)));
  return isWithin('minimum', 'exclusiveMinimum') && isWithin('maximum', 'exclusiveMaximum');
}

/** Alternatives and `allOf` parts: only the field names are combined, and every field is optional. */
function ofBranches(
  branches: readonly ApiSchema[],
  typeOf: TypeOfPart,
  kinds: ReadonlySet<Kind> = unknownValue.kinds,
): ValueType {
  const isObject = branches.some(
    ({ types, properties }) => types?.includes('object') === true || properties.size > 0,
  );
  const fields = isObject && kinds.has('object') ? ofObject(branches, typeOf).fields : undefined;
  return fields === undefined ? { ...unknownValue, kinds } : { ...unknownValue, kinds, fields };
}

function ofObject(branches: readonly ApiSchema[], typeOf: TypeOfPart): ValueType {
  const isFree = branches.every(({ properties }) => properties.size === 0) || branches.some(expectsOthers);
  return isFree ? row : objectOf(described(branches, typeOf));
}

function described(branches: readonly ApiSchema[], typeOfPart: TypeOfPart): Fields {
  const names = [...new Set(branches.flatMap(({ properties }) => [...properties.keys()]))];
  return {
    names,
    isClosed: branches.some(({ additionalProperties }) => additionalProperties === false),
    origin: { kind: 'described' },
    optional: (name) => (isRequired(name) ? undefined : typeWhenThere(name)),
    typeOf(name) {
      const type = typeWhenThere(name);
      return type === undefined || isRequired(name) ? type : orNull(type);
    },
  };

  /** With several alternatives or parts, no field is certain to be required. */
  function isRequired(name: string): boolean {
    const [only, ...others] = branches;
    if (only === undefined || others.length > 0) return false;
    return only.required.includes(name) && only.properties.get(name)?.readOnly !== true;
  }

  function typeWhenThere(name: string): ValueType | undefined {
    const types = branches.flatMap(({ properties }) => properties.get(name) ?? []).map(typeOfPart);
    return types.length === 0 ? undefined : types.reduce(either);
  }
}

function ofEnum(values: readonly unknown[], isNullable: boolean): ValueType {
  const words = values.filter((value) => typeof value === 'string');
  const isPlain = values.every((value) => typeof value === 'string' || value === null);
  if (!isPlain || words.length === 0) return unknownValue;
  const type = wordOf(words);
  return isNullable || values.includes(null) ? orNull(type) : type;
}
