/** Rows of a table as the API description has them. */
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

function columnSchema({ type, isNullable, isBytes = false, isMoment = false }: TableColumn): Json {
  const own = typeIn(type);
  const schema = schemaOfType(isNullable ? orNull(own) : own);
  if (isBytes || type.name === 'bytea') return { ...schema, contentEncoding: 'base64' };
  return isMoment ? { ...schema, format: 'date-time' } : schema;
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

/** A parameter is one value: a number where the column holds numbers. */
export function parameterSchema(column: TableColumn): Json {
  const schema = columnSchema({ ...column, isNullable: false });
  const { type } = schema;
  if (!Array.isArray(type)) return schema;
  const kind: unknown = type.find((one) => one === 'integer' || one === 'number') ?? type[0];
  return { ...schema, type: kind };
}

/** Without columns there is no body. `isOptional`: columns that need not be there in any case. */
export function bodyOf(
  columns: readonly TableColumn[],
  isOptional: (column: TableColumn) => boolean = () => false,
): Json {
  if (columns.length === 0) return {};
  const required = columns
    .filter((column) => !column.isNullable && column.default === undefined && !isOptional(column))
    .map(({ name }) => name);
  const schema = {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    properties: Object.fromEntries(
      columns.map((column) => [
        column.name,
        columnSchema({ ...column, isNullable: column.isNullable || column.default !== undefined }),
      ]),
    ),
  };
  return { requestBody: { required: true, content: { 'application/json': { schema } } } };
}
