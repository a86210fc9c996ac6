/** The statement of a list with the conditions of a request: the configured statement is the inner one of a SELECT with a WHERE. */
import type { Json } from '../handler/json.js';
import type { DatabaseKind } from '../sql/jdbc-url.js';
import { renderSql, type PassedValue, type SqlTemplate } from '../sql/sql-template.js';
import type { StatementDefinition } from '../sql/statement-definition.js';
import { Filter, type FilterDefinition } from './filter.js';
import { filterSql, type FilterSql } from './filter-sql.js';
import { listBegin, listEnd } from './ordered-sql.js';
import { wrapped } from './wrapped-template.js';

/** A statement whose rows meet the filter, before it is ordered, divided into pages, or counted. */
export interface FilteredStatement<Definition extends StatementDefinition> {
  /** Equal for statements with the same SQL; empty without conditions. */
  readonly form: string;
  readonly definition: Definition;
  /** The values of the definition's statement, followed by the values of the conditions. */
  readonly values: readonly PassedValue[];
}

/** Adds the filter of each request to a statement. */
export class Filtering<Definition extends StatementDefinition> {
  readonly #filter: Filter | undefined;

  constructor(
    private readonly definition: Definition,
    filter: FilterDefinition | undefined,
    private readonly dialect: DatabaseKind,
  ) {
    this.#filter = filter && new Filter(filter);
  }

  /** `asked` is the filter of the request. Throws a ServiceError 400 for anything that is not allowed. */
  statement(passed: readonly PassedValue[], asked: Json | undefined): FilteredStatement<Definition> {
    const { definition, dialect } = this;
    const conditions = this.#filter?.conditions(asked ?? null) ?? [];
    if (conditions.length === 0) return { form: '', definition, values: passed };
    const filter = filterSql(conditions, dialect);
    return {
      form: filter.form,
      definition: filteredDefinition(definition, passed.length, filter, dialect),
      values: [...passed, ...filter.values],
    };
  }
}

function filteredDefinition<Definition extends StatementDefinition>(
  definition: Definition,
  count: number,
  filter: FilterSql,
  dialect: DatabaseKind,
): Definition {
  const names = filter.sources.flatMap((source, index) =>
    source === undefined ? [] : [[count + index, source] as const],
  );
  return {
    ...definition,
    sql: filteredText(definition.sql, count, filter, dialect),
    ...(names.length > 0 ? { valueNames: { ...definition.valueNames, ...Object.fromEntries(names) } } : {}),
    ...(dialect === 'mysql' && filter.values.length > 0
      ? { filterTypes: typesOf(definition.sql, count, filter) }
      : {}),
  };
}

function filteredText(
  inner: string | SqlTemplate,
  count: number,
  { parts }: FilterSql,
  dialect: DatabaseKind,
): string | SqlTemplate {
  if (typeof inner === 'string') {
    const marker = (index: number): string => (dialect === 'postgresql' ? `$${count + index + 1}` : '?');
    const where = parts.map((part) => (typeof part === 'string' ? part : marker(part.value))).join('');
    return `${listBegin}${inner}${listEnd}WHERE ${where}`;
  }
  return wrapped(inner, listBegin, [listEnd, 'WHERE ', ...parts]);
}

/** A SELECT of the columns that values are compared with, because MySQL and MariaDB do not report parameter types. */
function typesOf(inner: string | SqlTemplate, count: number, { columns }: FilterSql): string {
  const nothing = Array.from({ length: count }, () => null);
  const { text } = renderSql(inner, nothing, 'mysql');
  const compared = columns.map((column) => column ?? 'NULL');
  return `SELECT ${[...nothing.map(() => 'NULL'), ...compared].join(', ')} FROM (\n${text}\n) AS list`;
}
