/**
 * The SQL of filters: configured columns and the operators below. Of the request, it only contains placeholders. Conditions are joined by
 * AND; a tree of conditions would join the same parts.
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
