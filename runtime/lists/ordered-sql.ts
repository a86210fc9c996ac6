/** The SQL of a list: the statement inside an outer statement that orders the rows, and selects those after the last row of a page. */
import type { DatabaseKind } from '../sql/jdbc-url.js';

/** A column of an order. */
export interface OrderColumn {
  readonly column: string;
  readonly descending?: true;
  /** The position of NULLs; omitted for a column without NULLs, such as the last column of every order. */
  readonly nulls?: 'first' | 'last';
  /** Whether the position of NULLs differs from the database default. */
  readonly isMoved?: true;
}

/** A value after those of the inner statement: the index of an order column, the number of rows, or the number of rows before them. */
export type ListValue = number | 'limit' | 'offset';

export interface ListQuery {
  readonly columns: readonly OrderColumn[];
  /** For each column, whether it is NULL in the last row of the previous page; undefined for the first page. */
  readonly after: readonly boolean[] | undefined;
  readonly hasLimit: boolean;
  readonly hasOffset?: boolean;
}

/** A piece of SQL, or a value. */
export type ListPart = string | { readonly value: ListValue };

/** The SQL before and after the inner statement. */
export const listBegin = 'SELECT * FROM (\n';
export const listEnd = '\n) AS list\n';

/** The SQL before and after the inner statement that counts at most `max` rows, and one more that shows whether there are others. */
export const countBegin = 'SELECT count(*) AS total FROM (SELECT 1 FROM (\n';
export const countEnd = (max: number): string => `\n) AS list LIMIT ${max + 1}) AS counted`;

/** The statement that counts the rows of a list: one row with the column `total`. */
export function countSql(inner: string, max: number): string {
  return `${countBegin}${inner}${countEnd(max)}`;
}

/** The complete statement, and the values that follow the `count` values of the inner statement. */
export function listSql(
  inner: string,
  count: number,
  query: ListQuery,
  dialect: DatabaseKind,
): { readonly sql: string; readonly values: readonly ListValue[] } {
  const parts = listParts(query, dialect);
  const values = valuesIn(parts);
  // On PostgreSQL, a value is sent once even if its placeholder is repeated.
  const sent = dialect === 'postgresql' ? [...new Set(values)] : values;
  const marker = (one: ListValue): string =>
    dialect === 'postgresql' ? `$${count + sent.indexOf(one) + 1}` : '?';
  const rest = parts.map((part) => (typeof part === 'string' ? part : marker(part.value))).join('');
  return { sql: `${listBegin}${inner}${rest}`, values: sent };
}

export function valuesIn(parts: readonly ListPart[]): readonly ListValue[] {
  return parts.filter((part) => typeof part !== 'string').map(({ value }) => value);
}

/** A column of the list, quoted for the outer statement. */
export function columnReference(column: string, dialect: DatabaseKind): string {
  const quote = dialect === 'postgresql' ? '"' : '`';
  const isPlain = /^[a-z_][a-z0-9_]*$/.test(column);
  return `list.${isPlain ? column : quote + column.replaceAll(quote, quote + quote) + quote}`;
}

/** The SQL after the inner statement. */
export function listParts(
  { columns, after, hasLimit, hasOffset = false }: ListQuery,
  dialect: DatabaseKind,
): ListPart[] {
  const keys = columns.map(({ column, descending, nulls, isMoved }) => {
    const place = isMoved === true ? ` NULLS ${nulls === 'first' ? 'FIRST' : 'LAST'}` : '';
    return `${columnReference(column, dialect)}${descending === true ? ' DESC' : ''}${place}`;
  });
  const condition = after && new Condition(columns, after, dialect).behind(0);
  return [
    listEnd,
    ...(condition === undefined ? [] : ['WHERE ', ...condition.parts, '\n']),
    `ORDER BY ${keys.join(', ')}`,
    ...(hasLimit ? ['\nLIMIT ', { value: 'limit' } as const] : []),
    ...(hasOffset ? [' OFFSET ', { value: 'offset' } as const] : []),
  ];
}

/** The columns of the opposite order. */
export function reversed(columns: readonly OrderColumn[]): readonly OrderColumn[] {
  return columns.map(({ column, descending, nulls, isMoved }) => ({
    column,
    ...(descending === true ? {} : { descending: true }),
    ...(nulls === undefined ? {} : { nulls: nulls === 'first' ? 'last' : 'first' }),
    ...(isMoved === true ? { isMoved } : {}),
  }));
}

/** A condition, and the operator between its parts. */
interface Joined {
  readonly parts: readonly ListPart[];
  readonly by: 'AND' | 'OR' | undefined;
}

/** The condition that a row comes after the last row of a page. */
class Condition {
  constructor(
    private readonly columns: readonly OrderColumn[],
    private readonly after: readonly boolean[],
    private readonly dialect: DatabaseKind,
  ) {}

  /** The condition for rows that are equal in all columns before this one. */
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

  /** Whether the remaining columns can be a row comparison, which needs only one index search on PostgreSQL. */
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
    const values = rest.flatMap((_, index): ListPart[] => [
      ...(index === 0 ? [] : [', ']),
      { value: from + index },
    ]);
    return { parts: [`(${names}) ${operator} (`, ...values, ')'], by: undefined };
  }
}

function joined(by: 'AND' | 'OR', conditions: readonly Joined[]): Joined {
  const [only, second] = conditions;
  if (only !== undefined && second === undefined) return only;
  const parts = conditions.flatMap((condition, index): ListPart[] => {
    const isOther = condition.by !== undefined && condition.by !== by;
    const own = isOther ? ['(', ...condition.parts, ')'] : condition.parts;
    return index === 0 ? [...own] : [` ${by} `, ...own];
  });
  return { parts, by };
}
