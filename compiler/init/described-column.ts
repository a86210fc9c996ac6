/** The column for a field of an API description: its type in both databases, its default, and its SQL. */
import type { ApiSchema } from '../openapi/api-model.js';
import type { Dialect } from '../sql/dialect.js';
import { onlyType } from './described-shape.js';

/** The type of a column as SQL; `base` is the type without a length, as casts write it. */
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

/** A string as SQL has it. */
export function literal(text: string, dialect: Dialect): string {
  const escaped = text.replaceAll("'", "''");
  return `'${dialect === 'mysql' ? escaped.replaceAll('\\', '\\\\') : escaped}'`;
}

/** The words that a column holds, where the description lists them. */
export function wordsOf(schema: ApiSchema): readonly string[] | undefined {
  const words = schema.enum?.filter((word): word is string => typeof word === 'string');
  return onlyType(schema) === 'string' && words !== undefined && words.length > 0 ? words : undefined;
}

/** The value of a column that is never null if no value is passed. */
export function defaultOf(schema: ApiSchema, dialect: Dialect): string {
  const isPostgres = dialect === 'postgresql';
  const { default: described, format } = schema;
  const type = onlyType(schema);
  const isPlain = ['string', 'number', 'boolean'].includes(typeof described);
  if (isPlain && type !== undefined && type !== 'array' && type !== 'object')
    return typeof described === 'string' ? literal(described, dialect) : String(described);
  const [word] = wordsOf(schema) ?? [];
  if (word !== undefined) return literal(word, dialect);
  switch (type) {
    case 'integer':
    case 'number':
      return '0';
    case 'boolean':
      return 'false';
    case 'array': {
      const { isArray } = columnTypeOf(schema, dialect);
      return isArray ? "'{}'" : isPostgres ? "'[]'" : "('[]')";
    }
    case 'string':
      if (format === 'date') return isPostgres ? 'current_date' : '(current_date)';
      if (format === 'date-time') return isPostgres ? 'now()' : 'current_timestamp';
      if (format === 'uuid') return isPostgres ? 'gen_random_uuid()' : '(uuid())';
      return isPostgres || columnTypeOf(schema, dialect).base === 'varchar' ? "''" : "('')";
    default:
      return isPostgres ? "'{}'" : "('{}')";
  }
}

const reserved = new Set(
  `all analyse analyze and any array as asc asymmetric authorization between binary both by call case cast change check
  collate collation column concurrently condition constraint continue convert create cross cube cume_dist current_catalog
  current_date current_role current_schema current_time current_timestamp current_user cursor database databases declare
  default deferrable delayed delete desc describe distinct distinctrow div do drop dual each else elseif empty end escape
  except exists exit explain false fetch first_value float for force foreign freeze from full fulltext function generated
  get grant group grouping groups having if ignore ilike in index infile initially inner inout insert int integer intersect
  interval into is isnull iterate join key keys kill lag last_value lateral lead leading leave left like limit linear lines
  load localtime localtimestamp lock long loop match maxvalue mod modifies natural not notnull null numeric of offset on only
  optimize option or order out outer over overlaps partition placing primary procedure purge range rank read reads recursive
  references regexp release rename repeat replace require resignal restrict return returning revoke right rlike row
  row_number rows schema schemas select sensitive separator session_user set show signal similar some spatial specific sql
  ssl starting stored straight_join symmetric system table tablesample terminated then to trailing trigger true undo union
  unique unlock unsigned update usage use user using values variadic varying verbose virtual when where while window with
  write xor zerofill`.split(/\s+/),
);

/** A name as statements write it: plain if both databases accept it so. */
export function quoted(name: string, dialect: Dialect): string {
  if (/^[a-z_][a-z0-9_]*$/.test(name) && !reserved.has(name)) return name;
  return dialect === 'postgresql' ? `"${name.replaceAll('"', '""')}"` : `\`${name.replaceAll('`', '``')}\``;
}

/** `petType` and `pet-type` as `pet_type`. */
export function snakeCase(name: string): string {
  const snake = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toLowerCase()
    .slice(0, 60);
  return /^[a-z]/.test(snake) ? snake : `field_${snake}`;
}
