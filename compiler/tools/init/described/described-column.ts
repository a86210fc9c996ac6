/** The column for a field of an API description: its type in both databases, its default, and its SQL. */
import { type Written } from '../../../notation/written.js';
import { sql } from '../../../notation/sql-writer.js';
import type { ApiSchema } from '../../../read/openapi/api-model.js';
import type { Dialect } from '../../../read/sql/dialect.js';
import { onlyType } from './described-shape.js';

/** A column type in SQL; `base` is the type without length, as written in casts. */
export interface ColumnType {
  readonly sql: string;
  readonly base: string;
  /** Whether values can be compared and sorted. */
  readonly isScalar: boolean;
  readonly isArray: boolean;
}

export function columnTypeOf(schema: ApiSchema, dialect: Dialect, isKey = false): ColumnType {
  const isPostgres = dialect === 'postgresql';
  const type = onlyType(schema);
  if (type === 'array' && isPostgres && schema.items !== undefined) {
    const item = columnTypeOf(schema.items, dialect);
    if (item.isScalar)
      return { sql: `${item.base}[]`, base: `${item.base}[]`, isScalar: false, isArray: true };
  }
  const json = isPostgres ? 'jsonb' : 'json';
  const found = type === undefined ? undefined : scalarType(schema, type, isPostgres, isKey);
  if (found === undefined) return { sql: json, base: json, isScalar: false, isArray: false };
  return { sql: found, base: found.replace(/\(.*/, ''), isScalar: true, isArray: false };
}

function scalarType(
  schema: ApiSchema,
  type: string,
  isPostgres: boolean,
  isKey: boolean,
): string | undefined {
  const { format, bounds } = schema;
  if (type === 'boolean') return 'boolean';
  if (type === 'integer') return format === 'int64' ? 'bigint' : 'integer';
  if (type === 'number') {
    const binary = isPostgres ? 'double precision' : 'double';
    return format === 'float' || format === 'double' || !isPostgres ? binary : 'numeric';
  }
  if (type !== 'string') return undefined;
  if (format === 'date') return 'date';
  if (format === 'date-time') return isPostgres ? 'timestamptz' : 'timestamp';
  if (format === 'uuid') return isPostgres ? 'uuid' : 'char(36)';
  if (format === 'byte' || format === 'binary') return isPostgres ? 'bytea' : 'longblob';
  const max = bounds.get('maxLength');
  if (typeof max === 'number' && max > 0 && max <= 10_000) return `varchar(${max})`;
  return isPostgres || (!isKey && schema.enum === undefined) ? 'text' : 'varchar(255)';
}

/** The possible strings of a column, if the description lists them. */
export function wordsOf(schema: ApiSchema): readonly string[] | undefined {
  const words = schema.enum?.filter((word): word is string => typeof word === 'string');
  return onlyType(schema) === 'string' && words !== undefined && words.length > 0 ? words : undefined;
}

/** The default of a NOT NULL column. */
export function defaultOf(schema: ApiSchema, dialect: Dialect): Written<'sql'> {
  const isPostgres = dialect === 'postgresql';
  const { default: described, format } = schema;
  const type = onlyType(schema);
  const isPlain = ['string', 'number', 'boolean'].includes(typeof described);
  if (isPlain && type !== undefined && type !== 'array' && type !== 'object')
    return typeof described === 'string' ? sql.string(described, dialect) : sql.plain(String(described));
  const [word] = wordsOf(schema) ?? [];
  if (word !== undefined) return sql.string(word, dialect);
  switch (type) {
    case 'integer':
    case 'number':
      return sql`0`;
    case 'boolean':
      return sql`false`;
    case 'array': {
      const { isArray } = columnTypeOf(schema, dialect);
      return isArray ? sql`'{}'` : isPostgres ? sql`'[]'` : sql`('[]')`;
    }
    case 'string':
      if (format === 'date') return isPostgres ? sql`current_date` : sql`(current_date)`;
      if (format === 'date-time') return isPostgres ? sql`now()` : sql`current_timestamp`;
      if (format === 'uuid') return isPostgres ? sql`gen_random_uuid()` : sql`(uuid())`;
      return isPostgres || columnTypeOf(schema, dialect).base === 'varchar' ? sql`''` : sql`('')`;
    default:
      return isPostgres ? sql`'{}'` : sql`('{}')`;
  }
}

/** A generated PostgreSQL key, as text or uuid. */
export function madeText({ type }: { readonly type: ColumnType }): Written<'sql'> {
  return type.base === 'uuid' ? sql`gen_random_uuid()` : sql`gen_random_uuid()::text`;
}

/** Converts `petType` and `pet-type` to `pet_type`. */
export function snakeCase(name: string): string {
  const snake = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|(?<!_)_+$/g, '')
    .toLowerCase()
    .slice(0, 60);
  return /^[a-z]/.test(snake) ? snake : `field_${snake}`;
}
