/**
 * The SQL of filters: configured columns and the operators below, joined by AND, OR and NOT. Of the request, it only contains placeholders.
 */
import type { DatabaseKind } from '../sql/jdbc-url.js';
import type { PassedValue } from '../sql/sql-template.js';
import type { FilterColumn, FilterOperator } from './filter-types.js';
import { columnReference } from './ordered-sql.js';

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

/** Conditions joined by AND and OR, and the negation of a condition. NOT of an unknown condition is unknown, as in SQL. */
export type FilterTree =
  | Condition
  | { readonly and: readonly FilterTree[] }
  | { readonly or: readonly FilterTree[] }
  | { readonly not: FilterTree };

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

/** The SQL of conditions that are joined by AND. */
export function filterSql(conditions: readonly FilterTree[], dialect: DatabaseKind): FilterSql {
  const writer = new FilterWriter(dialect);
  writer.write({ and: conditions }, false);
  const { forms, parts, values, sources, columns } = writer;
  return { form: forms.join(''), parts, values, sources, columns };
}

class FilterWriter implements Omit<FilterSql, 'form'> {
  readonly forms: string[] = [];
  readonly parts: FilterPart[] = [];
  readonly values: PassedValue[] = [];
  readonly sources: (string | undefined)[] = [];
  readonly columns: (string | undefined)[] = [];

  constructor(private readonly dialect: DatabaseKind) {}

  /** `isInside`: AND and OR need brackets. */
  write(tree: FilterTree, isInside: boolean): void {
    if ('and' in tree) this.#join(tree.and, 'AND', isInside);
    else if ('or' in tree) this.#join(tree.or, 'OR', isInside);
    else if ('not' in tree) {
      this.parts.push('NOT (');
      this.forms.push('!(');
      this.write(tree.not, false);
      this.parts.push(')');
      this.forms.push(')');
    } else this.#condition(tree);
  }

  #join(trees: readonly FilterTree[], operator: 'AND' | 'OR', isInside: boolean): void {
    const [first, ...others] = trees;
    if (first === undefined) {
      const constant = operator === 'AND' ? 'TRUE' : 'FALSE';
      this.parts.push(constant);
      this.forms.push(constant);
      return;
    }
    if (others.length === 0) {
      this.write(first, isInside);
      return;
    }
    if (isInside) this.parts.push('(');
    this.forms.push(`${operator}(`);
    this.write(first, true);
    for (const tree of others) {
      this.parts.push(` ${operator} `);
      this.forms.push(',');
      this.write(tree, true);
    }
    if (isInside) this.parts.push(')');
    this.forms.push(')');
  }

  #condition(condition: Condition): void {
    const { filtered, operator, isNull, source } = condition;
    const { parts, values } = partsOf(condition, this.dialect);
    const count = this.values.length;
    for (const part of parts)
      this.parts.push(typeof part === 'string' ? part : { value: count + part.value });
    this.values.push(...values);
    for (const _ of values) {
      this.sources.push(source);
      this.columns.push(isPattern(operator) ? undefined : columnReference(filtered.column, this.dialect));
    }
    this.forms.push(JSON.stringify([filtered.column, operator, isNull, values.length]));
  }
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
