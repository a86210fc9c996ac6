/** The types of columns as the runtime converts them to JSON (docs/design/values.md#val-1). */
import type { DatabaseType, DescribedColumn } from '../../read/sql/statement-description.js';
import { isAllowed } from '../../read/sql/facts/checked-values.js';
import { isMentioned, isNeverNull, isOftenNull } from '../../read/sql/facts/nullability.js';
import type { SqlStatement } from '../../read/sql/statement.js';
import { orNull } from './join-types.js';
import {
  arrayOf,
  booleanValue,
  numberOrText,
  numberValue,
  textValue,
  timeValue,
  unknownValue,
  wordOf,
} from './known-types.js';
import type { Decimals, ValueType } from './value-type.js';

/**
 * `index` is the position of the column in the result. `values` are all allowed values, if the table restricts the column to a few strings.
 */
export function columnType(
  column: DescribedColumn,
  statement: SqlStatement,
  index: number,
  values?: readonly string[],
): ValueType {
  // The database reports a number.
  if (statement.dialect === 'mysql' && statement.truths.includes(column.name)) return orNull(booleanValue);
  const isFiltered = isMentioned(column.name, statement.pieces);
  const type = typeIn(column.type);
  const form = type.kinds.size === 1 && type.kinds.has('string') ? formOf(values, statement) : undefined;
  const own: ValueType = { ...type, ...(form && { form }), ...(isFiltered ? { isFiltered } : {}) };
  if (isNeverNull(column, statement, index)) return own;
  return isOftenNull(column, statement) ? { ...orNull(own), isOftenNull: true } : orNull(own);
}

/** The form of values allowed by a CHECK. MySQL and MariaDB ignore letter case, so other spellings may be stored. */
function formOf(values: readonly string[] | undefined, { dialect }: SqlStatement): ValueType['form'] {
  const [example] = values ?? [];
  if (values === undefined || example === undefined) return undefined;
  return { fits: (text) => isAllowed(text, values, dialect), example, words: values };
}

const byName: ReadonlyMap<string, ValueType> = new Map([
  ...named('bool boolean tinyint(1) bit(1)', booleanValue),
  ...named('int2 int4 oid smallint mediumint int integer year tinyint', numberValue),
  // A number that a double cannot represent is a string. NaN becomes null; MySQL does not have NaN.
  ...named('int8 bigint decimal', numberOrText),
  ['bigint unsigned', numberOrText],
  ...named('numeric', orNull(numberOrText)),
  ...named('float double', numberValue),
  ...named('float4 float8', orNull(numberValue)),
  ...named('json jsonb', unknownValue),
  ...named(
    'text varchar bpchar char name time timetz interval uuid bytea inet cidr macaddr xml citext tsvector',
    textValue,
  ),
  ...named(
    'int4range int8range numrange tsrange tstzrange daterange int4multirange int8multirange nummultirange tsmultirange tstzmultirange datemultirange',
    textValue,
  ),
  ...named('date timestamp timestamptz datetime', timeValue),
  ...named('bit varbit macaddr8 point line lseg box path polygon circle regtype regclass', textValue),
  ...named('tinytext mediumtext longtext blob tinyblob mediumblob longblob binary varbinary set', textValue),
]);

function named(names: string, type: ValueType): [string, ValueType][] {
  return names.split(' ').map((name) => [name, type]);
}

/** Values of that type that are not null. Of a type that is not built in no more is known than that its values may be anything. */
export function typeIn(described: DatabaseType): ValueType {
  const { name, labels, element } = described;
  if (labels !== undefined) return wordOf(labels);
  // Array elements can be null regardless of the column.
  if (element !== undefined) return arrayOf(orNull(arrayElement(element)));
  const type = byName.get(name) ?? unknownValue;
  if (type === unknownValue) return type;
  return { ...type, ...(type.isExactNumber && { decimals: decimalsOf(described) }), column: name };
}

/** The runtime reads decimals with up to 15 digits as numbers. */
const maxDigits = 15;

function decimalsOf({ name, precision, scale = 0 }: DatabaseType): Decimals {
  if (name !== 'numeric' && name !== 'decimal') return { scale: 0, isSafe: false };
  if (precision === undefined) return { scale: undefined, isSafe: false };
  // With a negative scale the last digits are zeros; with a large scale there are many zeros after the point.
  const digits = scale < 0 ? precision - scale : precision;
  return { scale: Math.max(0, scale), isSafe: digits <= maxDigits && scale <= 300 };
}

/** PostgreSQL arrays can have any number of dimensions. */
function arrayElement(element: DatabaseType): ValueType {
  const type = typeIn(element);
  return type === unknownValue ? type : { ...type, kinds: new Set([...type.kinds, 'array']) };
}
