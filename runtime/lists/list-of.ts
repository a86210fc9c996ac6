/** Lists whose order a request selects from configured orders, read completely or in pages. */
import { createHash } from 'node:crypto';
import type { Call } from '../handler/call.js';
import type { Json, Row } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import type { StatementDefinition } from '../sql/statement-definition.js';
import type { Statement } from '../sql/statement.js';
import type { DatabaseKind } from '../sql/jdbc-url.js';
import { refusedValue } from '../sql/failure.js';
import { value } from '../sql/in-lists.js';
import { renderSql, type PassedValue, type SqlTemplate } from '../sql/sql-template.js';
import {
  columnReference,
  listBegin,
  listParts,
  listSql,
  valuesIn,
  type ListQuery,
  type ListValue,
  type OrderColumn,
} from './ordered-sql.js';
import { ordered, readToken, writeToken, type TokenValue } from './page-token.js';

export interface ListDefinition extends StatementDefinition {
  readonly order: {
    /** The location of the order name in the request, for 400 responses: `query.sort`. */
    readonly by?: string;
    readonly allow: Readonly<Record<string, readonly OrderColumn[]>>;
    readonly default: string;
  };
  /** Omitted for a list without pages. */
  readonly page?: {
    readonly limit?: string;
    readonly max: number;
    readonly after?: string;
  };
}

/** The options selected by a call. Null and undefined mean the default order, the maximum number of rows, and the first page. */
export interface Asked {
  readonly by?: Json | undefined;
  readonly limit?: Json | undefined;
  readonly after?: Json | undefined;
}

export interface Page<Entry extends Row> {
  readonly rows: Entry[];
  /** The token of the next page; null on the last page. */
  readonly next: string | null;
}

/** Reads a list. Throws a ServiceError: 400 for an invalid order, limit or token, or the errors of a statement. */
export interface List<Entry extends Row> {
  (call: Call, values: readonly PassedValue[], asked: Asked): Promise<Page<Entry>>;
  /** The selected list as a statement, for callers that read the rows themselves and do not need the token of the next page. */
  chosen(values: readonly PassedValue[], asked: Asked): ChosenStatement<Entry>;
  /** The statement that the list runs, for callers that send it before its turn. */
  paged(values: readonly PassedValue[], asked: Asked): PagedStatement<Entry>;
}

/** A statement with all its values. */
export interface ChosenStatement<Entry extends Row> {
  readonly statement: Statement<Entry>;
  readonly values: readonly PassedValue[];
}

export interface PagedStatement<Entry extends Row> extends ChosenStatement<Entry> {
  readonly columns: readonly OrderColumn[];
  /** The number of rows of a page; one more row is read. Undefined for a list without pages. */
  readonly size: number | undefined;
  /** Identifies the order in the token of the next page. */
  readonly mark: string;
  readonly pageOf: (rows: Entry[]) => Page<Entry>;
}

/** The members of the datasource that lists use. */
interface Reader {
  readonly kind: DatabaseKind;
  read<Entry extends Row>(definition: StatementDefinition): Statement<Entry>;
}

/** Creates a list of the rows of a statement. */
export function listOf<Entry extends Row = Row>(datasource: Reader, definition: ListDefinition): List<Entry> {
  const { order, page } = definition;
  const orders = new Map(
    Object.entries(order.allow).map(([name, columns]) => [
      name,
      {
        columns,
        mark: markOf(name, columns, definition),
        statements: new Map<string, ListStatement<Entry>>(),
      },
    ]),
  );
  const choose = (values: readonly PassedValue[], asked: Asked, isNextRead: boolean): Chosen<Entry> => {
    const name = orderName(asked.by ?? order.default, [...orders.keys()], order.by);
    const chosen = orders.get(name);
    if (chosen === undefined) throw new Error(`The order '${name}' is missing.`);
    const { columns, mark, statements } = chosen;
    const last = page === undefined ? undefined : lastValues(asked.after ?? null, mark, columns, page.after);
    const size = page === undefined ? undefined : pageSize(asked.limit ?? null, page.max, page.limit);
    const empty = last?.map((value) => value === null);
    const key = `${isNextRead ? 'next' : ''}${empty?.map(Number).join('') ?? ''}`;
    let statement = statements.get(key);
    if (statement === undefined) {
      const query = { columns, after: empty, hasLimit: page !== undefined };
      statement = listStatement(datasource, definition, query, values.length, isNextRead);
      statements.set(key, statement);
    }
    // An extra row shows whether there is a next page.
    const limit = (size ?? 0) + (isNextRead ? 1 : 0);
    const own = statement.values.map((value) => (value === 'limit' ? limit : (last?.[value] ?? null)));
    return { columns, mark, size, statement: statement.run, values: [...values, ...own] };
  };
  const paged = (passed: readonly PassedValue[], asked: Asked): PagedStatement<Entry> => {
    const { columns, mark, size, statement, values } = choose(passed, asked, page !== undefined);
    const pageOf = (rows: Entry[]): Page<Entry> => {
      if (size === undefined) return { rows, next: null };
      const isLast = rows.length <= size;
      if (!isLast) rows.length = size;
      const end = rows.at(-1);
      const next = isLast || end === undefined ? null : writeToken(mark, columns, end);
      showOrdered(rows, columns);
      return { rows, next };
    };
    return { statement, values, columns, size, mark, pageOf };
  };
  const read = async (call: Call, passed: readonly PassedValue[], asked: Asked): Promise<Page<Entry>> => {
    const { statement, values, pageOf } = paged(passed, asked);
    return pageOf(await statement(call, values));
  };
  return Object.assign(read, {
    chosen: (values: readonly PassedValue[], asked: Asked) => choose(values, asked, false),
    paged,
  });
}

interface Chosen<Entry extends Row> extends ChosenStatement<Entry> {
  readonly columns: readonly OrderColumn[];
  readonly mark: string;
  /** Number of rows of a page; undefined for a list without pages. */
  readonly size: number | undefined;
}

/**
 * Replaces ordered values by their JSON: NaN and infinities become null, and a TINYINT(1) of 2 becomes true. The token of the next page
 * contains the values of the database.
 */
function showOrdered(rows: readonly Row[], columns: readonly OrderColumn[]): void {
  for (const { column } of columns)
    for (const row of rows) {
      const value = ordered(row[column]);
      if (value !== undefined) row[column] = value.shown;
    }
}

interface ListStatement<Entry extends Row> {
  readonly run: Statement<Entry>;
  /** Values that follow those of the inner statement. */
  readonly values: readonly ListValue[];
}

function listStatement<Entry extends Row>(
  datasource: Reader,
  { order: _order, page, ...definition }: ListDefinition,
  query: ListQuery,
  count: number,
  isNextRead: boolean,
): ListStatement<Entry> {
  const dialect = datasource.kind;
  const { sql, values } =
    typeof definition.sql === 'string'
      ? listSql(definition.sql, count, query, dialect)
      : listTemplate(definition.sql, query, dialect);
  const after = values.flatMap((one, index) =>
    one === 'limit' || page?.after === undefined ? [] : [[count + index, page.after] as const],
  );
  const columns = query.columns.map(({ column }) => columnReference(column, dialect));
  const run = datasource.read<Entry>({
    ...definition,
    sql,
    ...(after.length > 0 ? { valueNames: { ...definition.valueNames, ...Object.fromEntries(after) } } : {}),
    ...(isNextRead ? { orderColumns: query.columns.map(({ column }) => column) } : {}),
    ...(dialect === 'mysql' && values.length > 0
      ? { positionTypes: typesOf(definition.sql, count, values, columns) }
      : {}),
  });
  return { run, values };
}

/** The complete statement, for an inner statement with a variable number of placeholders. */
function listTemplate(
  { strings, holes }: SqlTemplate,
  query: ListQuery,
  dialect: DatabaseKind,
): { readonly sql: SqlTemplate; readonly values: readonly ListValue[] } {
  const parts = listParts(query, dialect);
  const values = valuesIn(parts);
  const all = [`${listBegin}${strings[0] ?? ''}`, ...strings.slice(1)];
  for (const part of parts) {
    if (typeof part === 'string') all.push(`${all.pop() ?? ''}${part}`);
    else all.push('');
  }
  return { sql: value.template(all, [...holes, ...values.map(() => value)]), values };
}

/** A SELECT of the columns that values are compared with, because MySQL and MariaDB do not report parameter types. */
function typesOf(
  inner: string | SqlTemplate,
  count: number,
  values: readonly ListValue[],
  columns: readonly string[],
): string {
  const nothing = Array.from({ length: count }, () => null);
  const { text } = renderSql(inner, nothing, 'mysql');
  const compared = values.map((value) => (value === 'limit' ? 'NULL' : (columns[value] ?? 'NULL')));
  return `SELECT ${[...nothing.map(() => 'NULL'), ...compared].join(', ')} FROM (\n${text}\n) AS list`;
}

/** Identifies an order in its tokens. Tokens of other orders, and of earlier versions of the order, are rejected. */
function markOf(
  name: string,
  columns: readonly OrderColumn[],
  { operation, fulfillment }: ListDefinition,
): string {
  const order = columns.map(({ column, descending = false, isMoved = false }) => [
    column,
    descending,
    isMoved,
  ]);
  const text = JSON.stringify([operation, fulfillment, name, order]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 8);
}

function orderName(by: Json, names: readonly string[], source: string | undefined): string {
  if (typeof by === 'string' && names.includes(by)) return by;
  throw invalidValue(source, 'order', `one of ${names.join(', ')}`);
}

function lastValues(
  token: Json,
  mark: string,
  columns: readonly OrderColumn[],
  source: string | undefined,
): readonly TokenValue[] | undefined {
  if (token === null || token === '') return undefined;
  const values = typeof token === 'string' ? readToken(token, mark, columns) : undefined;
  if (values === undefined) throw invalidValue(source, 'next page', 'the text of a next page in this order');
  return values;
}

function pageSize(limit: Json, max: number, source: string | undefined): number {
  if (limit === null) return max;
  const isNumber = typeof limit === 'number' || (typeof limit === 'string' && /^\d{1,400}$/.test(limit));
  const size = isNumber ? Number(limit) : 0;
  if ((Number.isFinite(size) && !Number.isInteger(size)) || size < 1)
    throw invalidValue(source, 'limit', 'a whole number from 1');
  return Math.min(size, max);
}

/** The error for an invalid value in the request. `what` describes the value if its location is not known. */
function invalidValue(source: string | undefined, what: string, expected: string): ServiceError {
  if (source === undefined) return new ServiceError(400, `The ${what} does not fit: expected ${expected}`);
  const { message, fault } = refusedValue({ kind: 'bad-value', value: { index: 0, expected } }, source);
  return new ServiceError(400, message, { faults: [fault] });
}
