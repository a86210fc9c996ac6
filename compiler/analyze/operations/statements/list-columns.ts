/** Finds the columns by which a list is ordered among the columns of its statement. */
import { listSql, type OrderColumn as OrderedColumn } from '../../../../runtime/lists/ordered-sql.js';
import type { DataFulfillment, ListOrder, OrderColumn } from '../../../read/config/config-model.js';
import { isNeverNull } from '../../../read/sql/facts/nullability.js';
import { resultColumnsOf } from '../../../read/sql/facts/result-columns.js';
import type { DescribedColumn, Description } from '../../../read/sql/statement-description.js';
import type { Question } from '../../../read/sql/rewrite/question.js';
import type { SqlStatement } from '../../../read/sql/statement.js';

export interface ListColumn {
  /** The column name in the rows. */
  readonly name: string;
  /** The database's description of the column; undefined if no database was asked. */
  readonly described: DescribedColumn | undefined;
  readonly isNeverNull: boolean;
}

/** The known columns of a statement that lacks the requested column. */
export interface MissingColumn {
  readonly names: readonly string[];
}

/** The result column for an order column. `description` is undefined if no database was asked. */
export function listColumn(
  { name, isQuoted }: Pick<OrderColumn, 'name' | 'isQuoted'>,
  statement: SqlStatement,
  description: Description | undefined,
): ListColumn | MissingColumn {
  const { dialect } = statement;
  const listed = resultColumnsOf(statement);
  const columns = description?.columns;
  const names =
    columns?.map((column) => column.name) ?? listed?.names.filter((one) => one !== undefined) ?? [];
  const isWhole = columns !== undefined || listed?.isWhole === true;
  // PostgreSQL converts unquoted names to lower case.
  const meant = dialect === 'postgresql' && !isQuoted ? name.toLowerCase() : name;
  const found =
    names.find((one) => one === meant) ??
    names.find((one) => one === name) ??
    names.find((one) => one.toLowerCase() === name.toLowerCase());
  if (found === undefined && isWhole) return { names };
  const index = columns?.findIndex((column) => column.name === found) ?? -1;
  const described = columns?.[index];
  return {
    name: found ?? meant,
    described,
    isNeverNull: described !== undefined && isNeverNull(described, statement, index),
  };
}

/** The columns of each order by order name, as used by the service to order rows. */
export function orderedColumns(
  order: ListOrder,
  statement: SqlStatement,
  description: Description | undefined,
): readonly { readonly name: string; readonly columns: readonly OrderedColumn[] }[] {
  const find = (column: OrderColumn): ListColumn => {
    const found = listColumn(column, statement, description);
    if ('names' in found) throw new Error(`Nothing was reported of the missing column '${column.name}'.`);
    return found;
  };
  const key = order.key.map(find);
  return order.allow.map(({ name, columns }) => {
    const own = columns.map((written) => ({ written, found: find(written) }));
    const last = own.at(-1)?.written;
    const others = key.filter((column) => !own.some(({ found }) => found.name === column.name));
    return {
      name: name.value,
      columns: [
        ...own.map(({ written, found }) =>
          ordered(
            written,
            found,
            key.some((column) => column.name === found.name),
            statement,
          ),
        ),
        ...others.map((found) => ({
          column: found.name,
          ...(last?.isDescending === true ? { descending: true as const } : {}),
        })),
      ],
    };
  });
}

/**
 * The statements for the orders of a list, including one for the next page if the list has pages. Orders with the same columns share a
 * statement.
 */
export function orderStatements(
  { order, page }: DataFulfillment,
  statement: SqlStatement,
  { text, bindings }: Question,
): { readonly name: string; readonly text: string }[] {
  if (order === undefined) return [];
  const columns = [...order.allow.flatMap((one) => one.columns), ...order.key];
  if (columns.some((column) => 'names' in listColumn(column, statement, undefined))) return [];
  const seen = new Set<string>();
  return orderedColumns(order, statement, undefined).flatMap(({ name, columns }) => {
    // The columns of the order could not be read, which has been reported.
    if (columns.length === 0) return [];
    const same = JSON.stringify(columns.map(({ column }) => column).sort());
    if (seen.has(same)) return [];
    seen.add(same);
    const after = page === undefined ? undefined : columns.map(() => false);
    const query = { columns, after, hasLimit: page !== undefined };
    return [{ name, text: listSql(text, bindings.length, query, statement.dialect).sql }];
  });
}

function ordered(
  { isDescending, nulls: written }: OrderColumn,
  { name, isNeverNull: isThere }: ListColumn,
  isKey: boolean,
  { dialect }: SqlStatement,
): OrderedColumn {
  const usual = isDescending === (dialect === 'postgresql') ? 'first' : 'last';
  const nulls = isKey || isThere ? undefined : (written ?? usual);
  return {
    column: name,
    ...(isDescending ? { descending: true } : {}),
    ...(nulls === undefined ? {} : { nulls }),
    ...(nulls !== undefined && nulls !== usual ? { isMoved: true } : {}),
  };
}
