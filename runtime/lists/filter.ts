/** Filters of lists: a request chooses among configured names and operators, and sends values. */
import { textOf, type Json } from '../handler/json.js';
import { ServiceError, type Fault } from '../handler/reply.js';
import { refusedValue } from '../sql/failure.js';
import {
  fits,
  maxConditions,
  maxValues,
  type FilterColumn,
  type FilterOperator,
  type FilterType,
} from './filter-types.js';
import type { Condition, FilterTree } from './filter-sql.js';
import { readTree } from './filter-tree.js';

export interface FilterDefinition {
  /** The location of the filter in the request, for 400 responses: `query`, `query.filter`, `body.filter`. */
  readonly from?: string;
  /** The name of the user function that returns the filter as a tree. */
  readonly function?: string;
  readonly allow: Readonly<Record<string, FilterColumn>>;
  /** Other names at that location that the operation reads. */
  readonly others?: readonly string[];
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
   * The conditions, all of which a row must meet: in the order of the configuration, or of the user function; empty if the request does
   * not filter. Throws a ServiceError: 400 for anything that is not allowed, 500 for an invalid tree of a user function.
   */
  conditions(asked: Json): readonly FilterTree[] {
    const { function: name } = this.definition;
    return name === undefined ? this.#named(asked) : this.#ofFunction(asked, name);
  }

  #ofFunction(result: Json, name: string): readonly FilterTree[] {
    return readTree(result, {
      function: name,
      allow: this.#allow,
      condition: (of, filtered, operator, value) =>
        this.#condition(filtered.plain === true ? [of] : [of, operator], filtered, operator, value),
    });
  }

  #named(asked: Json): readonly Condition[] {
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
    const read = (one: Json, type: FilterType): Json => {
      const result = fits(one, type);
      if ('expected' in result) throw this.#invalid(path, result.expected);
      const { labels } = filtered;
      if (type === filtered.type && labels?.some((label) => label === result.value) === false)
        throw this.#invalid(
          path,
          labels.length > maxLabels ? 'a label of the enum' : `one of ${labels.join(', ')}`,
        );
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
        const text = textOf(read(value, 'string')).replaceAll(/[%_|]/g, '|$&');
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

/** The most labels in a message. */
const maxLabels = 30;

/** The most unknown names in a message, and their longest form. */
const maxShown = 10;

function shortened(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}
