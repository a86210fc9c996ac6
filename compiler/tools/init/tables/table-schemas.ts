/** API description schemas for rows of a table. */
import type { TableColumn } from '../../../analyze/database/read-tables.js';
import { schemaOfType } from '../../../analyze/describe/schema-of-type.js';
import { typeIn } from '../../../analyze/types/column-type.js';
import { orNull } from '../../../analyze/types/join-types.js';

type Json = Readonly<Record<string, unknown>>;

export const messageSchema = {
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string' } },
};

export function content(description: string, schema: Json): Json {
  return { description, content: { 'application/json': { schema } } };
}

function columnSchema(column: TableColumn): Json {
  return { ...typeSchema(column), ...limitsOf(column) };
}

/** Limits of length and precision, which are not part of a statement's types. */
function limitsOf({ type, declared = '', isBytes = false }: TableColumn): Json {
  const length = /^(?:character(?: varying)?|char|varchar)\((\d+)\)$/.exec(declared)?.[1];
  if (length !== undefined && type.labels === undefined && !isBytes) return { maxLength: Number(length) };
  const [, word = '', rest = ''] =
    /^(smallint|tinyint|mediumint|int)\b(?!\(1\))([^[]*)$/.exec(declared) ?? [];
  const bits = bitsOf[word];
  if (bits === undefined) return {};
  return rest.includes('unsigned')
    ? { minimum: 0, maximum: 2 ** bits - 1 }
    : { minimum: -(2 ** (bits - 1)), maximum: 2 ** (bits - 1) - 1 };
}

const bitsOf: Readonly<Record<string, number>> = { tinyint: 8, smallint: 16, mediumint: 24, int: 32 };

/** Matches the declaration of a number without decimals. */
const isWhole = /^(?:numeric|decimal)\(\d+,0\)(?!\[)/;

function typeSchema({ type, isNullable, isBytes = false, isMoment = false, declared }: TableColumn): Json {
  const own = typeIn(type);
  const schema = withWhole(schemaOfType(isNullable ? orNull(own) : own), declared);
  if (isBytes || type.name === 'bytea') return { ...schema, contentEncoding: 'base64' };
  return isMoment ? { ...schema, format: 'date-time' } : schema;
}

function withWhole(schema: Json, declared = ''): Json {
  const { type } = schema;
  if (!isWhole.test(declared)) return schema;
  const whole = (one: unknown): unknown => (one === 'number' ? 'integer' : one);
  return { ...schema, type: Array.isArray(type) ? type.map(whole) : whole(type) };
}

export function rowSchema(columns: readonly TableColumn[]): {
  readonly type: string;
  readonly required: readonly string[];
  readonly properties: Json;
} {
  return {
    type: 'object',
    required: columns.map(({ name }) => name),
    properties: Object.fromEntries(columns.map((column) => [column.name, columnSchema(column)])),
  };
}

/**
 * The schema of a single value: a number if the column contains numbers. Without limits, because a value beyond them simply finds no row.
 */
export function parameterSchema(column: TableColumn): Json {
  const schema = typeSchema({ ...column, isNullable: false });
  const { type } = schema;
  if (!Array.isArray(type)) return schema;
  const kind: unknown = type.find((one) => one === 'integer' || one === 'number') ?? type[0];
  return { ...schema, type: kind };
}

/**
 * Empty if there are no columns. `isOptional`: columns that are never required. `keys`: columns of a new row that become part of its
 * path, where an empty string is not allowed.
 */
export function bodyOf(
  columns: readonly TableColumn[],
  {
    isOptional = () => false,
    keys = [],
  }: {
    readonly isOptional?: (column: TableColumn) => boolean;
    readonly keys?: readonly string[];
  } = {},
): Json {
  if (columns.length === 0) return {};
  const isOfPath = ({ name }: TableColumn): boolean => keys.includes(name);
  const hasDefault = (column: TableColumn): boolean =>
    column.default !== undefined && !(isOfPath(column) && /^(?:_\w+)?''/.test(column.default));
  const required = columns
    .filter((column) => !column.isNullable && !hasDefault(column) && !isOptional(column))
    .map(({ name }) => name);
  const schemaOf = (column: TableColumn): Json => {
    const schema = columnSchema(column);
    const isText = schema['type'] === 'string' && schema['enum'] === undefined;
    return isOfPath(column) && isText ? { ...schema, minLength: 1 } : schema;
  };
  const schema = {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    properties: Object.fromEntries(columns.map((column) => [column.name, schemaOf(column)])),
  };
  return { requestBody: { required: true, content: { 'application/json': { schema } } } };
}
