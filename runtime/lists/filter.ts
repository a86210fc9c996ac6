/**
 * Filters of lists: a request chooses among configured names and operators, and sends values. The SQL consists of configured columns and
 * the operators below; of the request, it only contains placeholders.
 */
import type { Json } from '../handler/json.js';
import { ServiceError, type Fault } from '../handler/reply.js';
import { refusedValue } from '../sql/failure.js';
import type { DatabaseKind } from '../sql/jdbc-url.js';
import type { PassedValue } from '../sql/sql-template.js';
import {
  fits,
  maxConditions,
  maxValues,
  type FilterColumn,
  type FilterOperator,
  type FilterType,
} from './filter-types.js';
import { columnReference } from './ordered-sql.js';

export interface FilterDefinition {
  /** The location of the filter in the request, for 400 responses: `query`, `query.filter`, `body.filter`. */
  readonly from?: string;
  readonly allow: Readonly<Record<string, FilterColumn>>;
  /** Other names at that location that the operation reads. */
  readonly others?: readonly string[];
}

/** A condition of a request, with its values in the form for the database. */
export interface Condition {
  readonly filtered: FilterColumn;
  readonly operator: FilterOperator;
  readonly values: readonly PassedValue[];
  /** For `null`: whether the column must be null. */
  readonly isNull: boolean;
  /** The location of the value in the request, for 400 responses; undefined if unknown. */
  readonly source: string | undefined;
}

/** A piece of SQL, or the index of a value. */
type FilterPart = string | { readonly value: number };

/** Conditions as SQL. */
export interface FilterSql {
  /** Equal for conditions that differ only in their values. */
  readonly form: string;
  readonly parts: readonly FilterPart[];
  readonly values: readonly PassedValue[];
  readonly sources: readonly (string | undefined)[];
  /** For each value the column that it is compared with; undefined for a pattern. */
  readonly columns: readonly (string | undefined)[];
}

/** Reads the filters of requests. */
export class Filter {
  readonly #allow: ReadonlyMap<string, FilterColumn>;
  readonly #others: ReadonlySet<string>;

  constructor(private readonly definition: FilterDefinition) {
    this.#allow = new Map(Object.entries(definition.allow));
    this.#others = new Set(definition.others);
  }

  /**
   * The conditions in the order of the configuration, all of which a row must meet; empty if the request does not filter. Throws a
   * ServiceError 400 for anything that is not allowed.
   */
  conditions(asked: Json): readonly Condition[] {
    if (asked === null || asked === '') return [];
    if (typeof asked !== 'object' || Array.isArray(asked))
      throw this.#invalid([], 'an object with the names of filters');
    const names = Object.keys(asked);
    const unknown = names.filter((name) => !this.#allow.has(name) && !this.#others.has(name));
    if (unknown.length > 0) throw this.#unknown(unknown);
    const found: Condition[] = [];
    for (const [name, filtered] of this.#allow) {
      if (!Object.hasOwn(asked, name)) continue;
      found.push(...this.#ofName(name, filtered, asked[name] ?? null));
      if (found.length > maxConditions)
        throw new ServiceError(400, `The filter has more than ${maxConditions} conditions`);
    }
    return found;
  }

  #ofName(name: string, filtered: FilterColumn, value: Json): readonly Condition[] {
    const { operators, plain, separator } = filtered;
    if (plain === true || typeof value !== 'object' || value === null || Array.isArray(value)) {
      const isList = Array.isArray(value) || (separator !== undefined && typeof value === 'string');
      const wanted = plain === true ? operators[0] : isList && operators.includes('in') ? 'in' : 'eq';
      const operator =
        wanted === 'eq' && !operators.includes('eq') && operators.includes('in') ? 'in' : wanted;
      if (operator === undefined || !operators.includes(operator))
        throw this.#invalid(
          [name],
          `one of ${operators.map((one) => this.#written([name, one])).join(', ')}`,
        );
      return [this.#condition([name], filtered, operator, value)];
    }
    const written = Object.keys(value);
    const unknown = written.filter((one) => !operators.some((operator) => operator === one));
    if (unknown.length > 0 || written.length === 0)
      throw this.#unknown(
        unknown.map((one) => [name, one]),
        name,
      );
    return operators.flatMap((operator) =>
      Object.hasOwn(value, operator)
        ? [this.#condition([name, operator], filtered, operator, value[operator] ?? null)]
        : [],
    );
  }

  #condition(
    path: readonly string[],
    filtered: FilterColumn,
    operator: FilterOperator,
    value: Json,
  ): Condition {
    const read = (one: Json, type: FilterType): PassedValue => {
      const result = fits(one, type);
      if ('expected' in result) throw this.#invalid(path, result.expected);
      return result.value;
    };
    const condition = { filtered, operator, isNull: false, source: this.#source(path) };
    switch (operator) {
      case 'null':
        return { ...condition, values: [], isNull: read(value, 'boolean') === true };
      case 'in': {
        const { separator } = filtered;
        const isSplit = separator !== undefined && typeof value === 'string';
        const list = Array.isArray(value) ? value : isSplit ? value.split(separator) : [value];
        if (list.length > maxValues) throw this.#invalid(path, `at most ${maxValues} values`);
        return { ...condition, values: list.map((one) => read(one, filtered.type)) };
      }
      case 'contains':
      case 'startsWith': {
        const text = String(read(value, 'string')).replaceAll(/[%_|]/g, '|$&');
        return { ...condition, values: [`${operator === 'contains' ? '%' : ''}${text}%`] };
      }
      default:
        return { ...condition, values: [read(value, filtered.type)] };
    }
  }

  #unknown(unknown: readonly (string | readonly string[])[], of?: string): ServiceError {
    const allowed = [...this.#allow].flatMap(([name, { operators, plain }]) => {
      if (of !== undefined && name !== of) return [];
      return plain === true ? [this.#written([name])] : operators.map((one) => this.#written([name, one]));
    });
    const others = of === undefined ? [...this.#others].map((name) => this.#written([name])) : [];
    const expected = `expected ${[...allowed, ...others].join(', ')}`;
    if (unknown.length === 0 && of !== undefined) return this.#invalid([of], `one of ${allowed.join(', ')}`);
    const shown = unknown.slice(0, maxShown).map((path) => [path].flat().map(shortened));
    const names = shown.map((path) => `'${this.#written(path)}'`).join(', ');
    const more = unknown.length > shown.length ? ` and ${unknown.length - shown.length} more` : '';
    const problem = unknown.length === 1 ? 'is not a filter' : 'are not filters';
    return new ServiceError(400, `${names}${more} ${problem}: ${expected}`, {
      faults: shown.flatMap((path) => this.#fault(path, `is not a filter: ${expected}`)),
    });
  }

  #invalid(path: readonly string[], expected: string): ServiceError {
    const source = this.#source(path);
    if (source === undefined) {
      const name = path.length === 0 ? 'The filter' : `The filter '${this.#written(path)}'`;
      return new ServiceError(400, `${name} does not fit: expected ${expected}`);
    }
    const { message, fault } = refusedValue({ kind: 'bad-value', value: { index: 0, expected } }, source);
    return new ServiceError(400, message, { faults: [fault] });
  }

  #fault(path: readonly string[], message: string): readonly Fault[] {
    const source = this.#source(path);
    if (source === undefined) return [];
    const { fault } = refusedValue({ kind: 'bad-value' }, source);
    return [{ ...fault, message }];
  }

  /** The location of a name or operator: `query.created[gte]`, `query.filter[created][gte]`, `body.filter.created.gte`. */
  #source(path: readonly string[]): string | undefined {
    const { from } = this.definition;
    if (path.length === 0) return from === 'query' ? undefined : from;
    if (from === undefined) return undefined;
    return isOfBody(from) ? [from, ...path].join('.') : `${from.split('.')[0] ?? ''}.${this.#written(path)}`;
  }

  /** A name, or a name with its operator, as clients write it. */
  #written(path: readonly string[]): string {
    const { from = 'query' } = this.definition;
    const [name = '', ...inside] = path.filter((part, index) => index === 0 || part !== 'eq');
    if (isOfBody(from)) return [name, ...inside].join('.');
    const [, parameter] = /^\w+\.(.*)$/s.exec(from) ?? [];
    const brackets = inside.map((part) => `[${part}]`).join('');
    return parameter === undefined ? `${name}${brackets}` : `${parameter}[${name}]${brackets}`;
  }
}

function isOfBody(from: string): boolean {
  return /^body(?:$|[.[])/.test(from);
}

/** The most unknown names in a message, and their longest form. */
const maxShown = 10;

function shortened(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}

/** The SQL of conditions that are joined by AND. */
export function filterSql(conditions: readonly Condition[], dialect: DatabaseKind): FilterSql {
  const parts: FilterPart[] = [];
  const forms: string[] = [];
  const values: PassedValue[] = [];
  const sources: (string | undefined)[] = [];
  const columns: (string | undefined)[] = [];
  for (const condition of conditions) {
    const own = partsOf(condition, dialect);
    if (parts.length > 0) parts.push(' AND ');
    for (const part of own.parts)
      parts.push(typeof part === 'string' ? part : { value: values.length + part.value });
    values.push(...own.values);
    for (const _ of own.values) {
      sources.push(condition.source);
      columns.push(
        isPattern(condition.operator) ? undefined : columnReference(condition.filtered.column, dialect),
      );
    }
    const { column } = condition.filtered;
    forms.push(JSON.stringify([column, condition.operator, condition.isNull, own.values.length]));
  }
  return { form: forms.join(), parts, values, sources, columns };
}

function isPattern(operator: FilterOperator): boolean {
  return operator === 'contains' || operator === 'startsWith';
}

/** The SQL of one condition. `|` escapes wildcards on every server; a backslash depends on settings of the session. */
function partsOf(
  { filtered, operator, values, isNull }: Condition,
  dialect: DatabaseKind,
): { readonly parts: readonly FilterPart[]; readonly values: readonly PassedValue[] } {
  const column = columnReference(filtered.column, dialect);
  const isMysql = dialect === 'mysql';
  const one = (...parts: readonly FilterPart[]) => ({ parts, values });
  const only = { value: 0 };
  switch (operator) {
    case 'eq':
      return one(`${column} = `, only);
    case 'ne':
      return isMysql ? one(`NOT (${column} <=> `, only, ')') : one(`${column} IS DISTINCT FROM `, only);
    case 'gt':
      return one(`${column} > `, only);
    case 'gte':
      return one(`${column} >= `, only);
    case 'lt':
      return one(`${column} < `, only);
    case 'lte':
      return one(`${column} <= `, only);
    case 'contains':
    case 'startsWith':
      return isMysql
        ? one(`LOWER(${column}) LIKE LOWER(`, only, `) ESCAPE '|'`)
        : one(`${column} ILIKE `, only, ` ESCAPE '|'`);
    case 'null':
      return { parts: [`${column} IS ${isNull ? '' : 'NOT '}NULL`], values: [] };
    case 'in':
      if (!isMysql) return { parts: [`${column} = ANY(`, only, ')'], values: [values as PassedValue] };
      return inList(column, values);
  }
}

/** On MySQL and MariaDB, an `in` is filled up to a power of two with its last value, so that few forms of a statement are prepared. */
function inList(
  column: string,
  values: readonly PassedValue[],
): { readonly parts: readonly FilterPart[]; readonly values: readonly PassedValue[] } {
  const last = values.at(-1);
  if (last === undefined) return { parts: ['FALSE'], values: [] };
  const size = 2 ** Math.ceil(Math.log2(values.length));
  const filled = [...values, ...Array.from({ length: size - values.length }, () => last)];
  const markers = filled.flatMap((_, value): FilterPart[] => [...(value === 0 ? [] : [', ']), { value }]);
  return { parts: [`${column} IN (`, ...markers, ')'], values: filled };
}
