/** Combines types into unions, including null. */
import { only, unknownValue } from './known-types.js';
import type { Decimals, Fields, Kind, Origin, ValueType } from './value-type.js';

export function orNull(type: ValueType): ValueType {
  return type.kinds.has('null') ? type : withKinds(type, ['null']);
}

/** The type without null. */
export function withoutNull(type: ValueType): ValueType {
  return type.kinds.has('null')
    ? { ...type, kinds: new Set([...type.kinds].filter((kind) => kind !== 'null')) }
    : type;
}

/** The union of two types. */
export function either(one: ValueType, other: ValueType): ValueType {
  if (one === other) return one;
  const element = ofBoth(one, other, 'array', (type) => type.element, either);
  const fields = ofBoth(one, other, 'object', (type) => type.fields, mergedFields);
  const words = ofBoth(one, other, 'string', wordsOf, (a, b) => new Set([...a, ...b]));
  const form = ofBoth(
    one,
    other,
    'string',
    (type) => type.form,
    (a, b) => (a === b ? a : undefined),
  );
  const range = ofBoth(one, other, 'number', rangeOf, (a, b) =>
    a.wholeFrom === b.wholeFrom && a.wholeTo === b.wholeTo ? a : undefined,
  );
  const decimals = eitherDecimals(one, other);
  const isTime = ofBoth(
    one,
    other,
    'string',
    ({ isTime }) => isTime,
    () => true as const,
  );
  return {
    ...only(...one.kinds, ...other.kinds),
    ...(element && { element }),
    ...(fields && { fields }),
    ...(words && { words }),
    ...(form && { form }),
    ...range,
    ...(isTime && { isTime }),
    ...(decimals && { decimals }),
    ...(one.isExactNumber === true && other.isExactNumber === true ? { isExactNumber: true } : {}),
    ...(isRowsOrNot(one) && isRowsOrNot(other) && (one.isRows ?? other.isRows) === true
      ? { isRows: true }
      : {}),
  };
}

/** The union of several types; unknown if empty. */
export function allOf(types: readonly ValueType[]): ValueType {
  const [first = unknownValue, ...others] = types;
  return others.reduce(either, first);
}

/** The type with a different origin for its fields. */
export function withOrigin(type: ValueType, origin: Origin): ValueType {
  const { fields, element } = type;
  return {
    ...type,
    ...(fields && { fields: { ...fields, origin, typeOf: (name) => knownType(fields.typeOf(name)) } }),
    ...(element && { element: withOrigin(element, origin) }),
  };

  function knownType(field: ValueType | undefined): ValueType | undefined {
    return field && withOrigin(field, origin);
  }
}

/** Combines a property of both types that applies to all values of a kind. */
function ofBoth<Part>(
  one: ValueType,
  other: ValueType,
  kind: Kind,
  part: (type: ValueType) => Part | undefined,
  join: (one: Part, other: Part) => Part | undefined,
): Part | undefined {
  if (!one.kinds.has(kind)) return part(other);
  if (!other.kinds.has(kind)) return part(one);
  const [first, second] = [part(one), part(other)];
  return first === undefined || second === undefined ? undefined : join(first, second);
}

/** All strings that the value can be; undefined unless they are few. */
export function wordsOf({ words, constant }: ValueType): ReadonlySet<string> | undefined {
  return words ?? (typeof constant === 'string' ? new Set([constant]) : undefined);
}

/** The range of the type's integers, if any. */
function rangeOf({ wholeFrom, wholeTo }: ValueType): Pick<ValueType, 'wholeFrom' | 'wholeTo'> | undefined {
  if (wholeFrom === undefined) return undefined;
  return { wholeFrom, ...(wholeTo === undefined ? {} : { wholeTo }) };
}

/** Of exact numbers of a database and any other numbers. */
function eitherDecimals(one: ValueType, other: ValueType): Decimals | undefined {
  const [a, b] = [one, other].filter(({ kinds }) => kinds.has('number')).map(decimalsBeside);
  if (a === undefined || b === undefined) return one.decimals ?? other.decimals;
  if (one.decimals === undefined && other.decimals === undefined) return undefined;
  const scales = [a, b].flatMap(({ scale }) => (scale === 'any' ? [] : [scale]));
  const [scale] = scales;
  return {
    scale: scales.every((other) => other === scale) ? scale : undefined,
    isSafe: a.isSafe && b.isSafe,
  };
}

/** A whole number fits any scale. */
function decimalsBeside({ decimals, constant, wholeFrom, kinds }: ValueType): {
  readonly scale: number | undefined | 'any';
  readonly isSafe: boolean;
} {
  if (decimals !== undefined) return decimals;
  const isWhole = wholeFrom !== undefined || Number.isInteger(constant);
  return { scale: isWhole ? 'any' : undefined, isSafe: !kinds.has('string') };
}

/** Rows, or no array at all. */
function isRowsOrNot({ isRows, kinds }: ValueType): boolean {
  return isRows === true || !kinds.has('array');
}

function withKinds(type: ValueType, kinds: readonly Kind[]): ValueType {
  const { constant, kinds: own, ...rest } = type;
  const words = typeof constant === 'string' ? { words: new Set([constant]) } : {};
  return { ...rest, ...words, kinds: new Set([...own, ...kinds]) };
}

/** The fields of an object that has either set of fields. */
function mergedFields(one: Fields, other: Fields): Fields {
  return {
    names: [...new Set([...one.names, ...other.names])],
    isClosed: one.isClosed && other.isClosed,
    origin: one.origin,
    optional(name) {
      const [first, second] = [one.typeOf(name), other.typeOf(name)];
      if (first === undefined || second === undefined) return first ?? second;
      const [rare, seldom] = [one.optional?.(name), other.optional?.(name)];
      return (rare ?? seldom) ? either(rare ?? first, seldom ?? second) : undefined;
    },
    typeOf(name) {
      const [first, second] = [one.typeOf(name), other.typeOf(name)];
      if (first !== undefined && second !== undefined) return either(first, second);
      const only = first ?? second;
      const isMissing = (first === undefined ? one : other).isClosed;
      return only === undefined || !isMissing ? undefined : orNull(only);
    },
  };
}
