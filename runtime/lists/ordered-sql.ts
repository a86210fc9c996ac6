/** The SQL of a list: its statement inside of one that orders the rows, and finds those behind the last row of a page. */
import type { DatabaseKind } from '../sql/jdbc-url.js';
import { value } from '../sql/lists.js';
import type { SqlTemplate } from '../sql/sql.js';

/** A column of an order. */
export interface OrderColumn {
  readonly column: string;
  readonly descending?: true;
  /** Where rows without a value are; left out for a column that always has one, as the last one of every order. */
  readonly nulls?: 'first' | 'last';
  /** Whether that is another place than the database's own. */
  readonly isMoved?: true;
}

/** A value behind those of the inner statement: of a column of the order, by its index, or the number of rows. */
export type ListValue = number | 'limit';

export interface ListQuery {
  readonly columns: readonly OrderColumn[];
  /** For each column whether the last row has no value there; undefined for the first page. */
  readonly after: readonly boolean[] | undefined;
  readonly hasLimit: boolean;
}

export interface ListSql {
  readonly sql: string | SqlTemplate;
  readonly values: readonly ListValue[];
}

/** The whole statement; `count` is how many values the inner one has. */
export function listSql(
  inner: string | SqlTemplate,
  count: number,
  query: ListQuery,
  dialect: DatabaseKind,
): ListSql {
  const parts = clauses(query, dialect);
  const values = parts.filter((part) => typeof part !== 'string').map(({ value: one }) => one);
  const begin = 'SELECT * FROM (\n';
  const end = '\n) AS list\n';
  if (typeof inner === 'string') {
    // A value of PostgreSQL is sent once, however often its marker is written.
    const sent = dialect === 'postgresql' ? [...new Set(values)] : values;
    const marker = (one: ListValue): string =>
      dialect === 'postgresql' ? `$${count + sent.indexOf(one) + 1}` : '?';
    const rest = parts.map((part) => (typeof part === 'string' ? part : marker(part.value))).join('');
    return { sql: `${begin}${inner}${end}${rest}`, values: sent };
  }
  const strings = [...inner.strings];
  strings[0] = `${begin}${strings[0] ?? ''}`;
  strings.push(`${strings.pop() ?? ''}${end}`);
  for (const part of parts) {
    if (typeof part === 'string') strings.push(`${strings.pop() ?? ''}${part}`);
    else strings.push('');
  }
  return { sql: { strings, holes: [...inner.holes, ...values.map(() => value)] }, values };
}

/** A column of the list, as its statement names it. */
export function columnReference(column: string, dialect: DatabaseKind): string {
  const quote = dialect === 'postgresql' ? '"' : '`';
  const isPlain = /^[a-z_][a-z0-9_]*$/.test(column);
  return `list.${isPlain ? column : quote + column.replaceAll(quote, quote + quote) + quote}`;
}

/** SQL between values. */
type Part = string | { readonly value: ListValue };

function clauses({ columns, after, hasLimit }: ListQuery, dialect: DatabaseKind): Part[] {
  const keys = columns.map(({ column, descending, nulls, isMoved }) => {
    const place = isMoved === true ? ` NULLS ${nulls === 'first' ? 'FIRST' : 'LAST'}` : '';
    return `${columnReference(column, dialect)}${descending === true ? ' DESC' : ''}${place}`;
  });
  const condition = after && new Condition(columns, after, dialect).behind(0);
  return [
    ...(condition === undefined ? [] : ['WHERE ', ...condition.parts, '\n']),
    `ORDER BY ${keys.join(', ')}`,
    ...(hasLimit ? ['\nLIMIT ', { value: 'limit' } as const] : []),
  ];
}

/** A condition, and what joins its parts. */
interface Joined {
  readonly parts: readonly Part[];
  readonly by: 'AND' | 'OR' | undefined;
}

/** The condition that a row is behind the last one of a page. */
class Condition {
  constructor(
    private readonly columns: readonly OrderColumn[],
    private readonly after: readonly boolean[],
    private readonly dialect: DatabaseKind,
  ) {}

  /** Of rows that are equal in the columns before that one. */
  behind(from: number): Joined {
    const column = this.columns[from];
    if (column === undefined) throw new Error('An order without a key.');
    const name = columnReference(column.column, this.dialect);
    const rest = (): readonly Joined[] => (from + 1 < this.columns.length ? [this.behind(from + 1)] : []);
    const is = (text: string): Joined => ({ parts: [`${name} ${text}`], by: undefined });
    const than = (operator: string): Joined => ({
      parts: [`${name} ${operator} `, { value: from }],
      by: undefined,
    });
    const operator = column.descending === true ? '<' : '>';
    if (this.after[from] === true)
      return column.nulls === 'first'
        ? joined('OR', [is('IS NOT NULL'), ...rest()])
        : joined('AND', [is('IS NULL'), ...rest()]);
    if (this.isRow(from)) return this.row(from, operator);
    if (column.nulls === 'last') {
      const equal = rest().map((one) => joined('AND', [than('='), one]));
      return joined('OR', [than(operator), is('IS NULL'), ...equal]);
    }
    const others = rest();
    if (others.length === 0) return than(operator);
    return joined('AND', [than(`${operator}=`), joined('OR', [than(operator), ...others])]);
  }

  /** Whether the rest is one comparison of rows, of which PostgreSQL makes one search in an index. */
  private isRow(from: number): boolean {
    const rest = this.columns.slice(from);
    return (
      this.dialect === 'postgresql' &&
      rest.length > 1 &&
      rest.every(
        ({ descending, nulls }, index) =>
          descending === rest[0]?.descending && nulls !== 'last' && this.after[from + index] !== true,
      )
    );
  }

  private row(from: number, operator: string): Joined {
    const rest = this.columns.slice(from);
    const names = rest.map(({ column }) => columnReference(column, this.dialect)).join(', ');
    const values = rest.flatMap((_, index): Part[] => [
      ...(index === 0 ? [] : [', ']),
      { value: from + index },
    ]);
    return { parts: [`(${names}) ${operator} (`, ...values, ')'], by: undefined };
  }
}

function joined(by: 'AND' | 'OR', conditions: readonly Joined[]): Joined {
  const [only, second] = conditions;
  if (only !== undefined && second === undefined) return only;
  const parts = conditions.flatMap((condition, index): Part[] => {
    const isOther = condition.by !== undefined && condition.by !== by;
    const own = isOther ? ['(', ...condition.parts, ')'] : condition.parts;
    return index === 0 ? [...own] : [` ${by} `, ...own];
  });
  return { parts, by };
}
