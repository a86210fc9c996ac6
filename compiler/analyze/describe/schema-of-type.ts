/** JSON schemas of values whose types are known. */
import { isAnything, kindsAsSent, type Fields, type ValueType } from '../types/value-type.js';
import type { JsonMap } from '../../read/json.js';

/** The schema of all values of the type; accepts any value if the type is unknown. */
export function schemaOfType(type: ValueType): JsonMap {
  const { words, element, fields } = type;
  const kinds = kindsAsSent(type);
  // A claim in a third party's description is not a promise of this service.
  if (isAnything(type)) return {};
  const orNull = kinds.has('null') ? ['null'] : [];
  if (words !== undefined && [...kinds].every((kind) => kind === 'string' || kind === 'null'))
    return { ...typed(['string', ...orNull]), enum: [...words, ...(kinds.has('null') ? [null] : [])] };
  const types = [
    ...(kinds.has('boolean') ? ['boolean'] : []),
    ...(kinds.has('number') ? [isWhole(type) ? 'integer' : 'number'] : []),
    ...(kinds.has('string') ? ['string'] : []),
    ...(kinds.has('array') ? ['array'] : []),
    ...(kinds.has('object') ? ['object'] : []),
    ...orNull,
  ];
  const format = formats.get(type.column ?? '') ?? (isDecimalString(type) ? 'decimal' : undefined);
  return {
    ...typed(types),
    ...(format === undefined ? {} : { format }),
    // Linters require `items` for every array.
    ...(kinds.has('array') ? { items: element === undefined ? {} : schemaOfType(element) } : {}),
    ...(kinds.has('object') && fields !== undefined ? objectOf(fields) : {}),
  };
}

function typed(types: readonly string[]): JsonMap {
  const [only, ...others] = types;
  return { type: others.length === 0 ? only : types };
}

const wholeColumns = new Set([
  ...'int2 int4 int8 oid smallint mediumint int integer bigint year tinyint'.split(' '),
  'bigint unsigned',
]);

function isWhole({ column, wholeFrom, decimals }: ValueType): boolean {
  return (
    wholeFrom !== undefined || decimals?.scale === 0 || (column !== undefined && wholeColumns.has(column))
  );
}

/** Whether it is a numeric or decimal column that is sent as a string. */
function isDecimalString({ column, kinds }: ValueType): boolean {
  return (column === 'numeric' || column === 'decimal') && !kinds.has('number');
}

const formats: ReadonlyMap<string, string> = new Map([
  ['int4', 'int32'],
  ['int8', 'int64'],
  ['bigint', 'int64'],
  ['date', 'date'],
  ['timestamptz', 'date-time'],
  ['timestamp with time zone', 'date-time'],
  ['uuid', 'uuid'],
]);

function objectOf(fields: Fields): JsonMap {
  const { names, isClosed } = fields;
  if (names.length === 0) return {};
  const properties = names.map((name) => {
    const type = fields.optional?.(name) ?? fields.typeOf(name);
    return [name, type === undefined ? {} : schemaOfType(type)] as const;
  });
  const required = names.filter((name) => fields.optional?.(name) === undefined);
  return {
    ...(isClosed && required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(properties),
  };
}
