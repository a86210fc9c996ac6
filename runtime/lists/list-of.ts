/** Lists whose order a request selects from configured orders, read completely or in pages. */
import { createHash } from 'node:crypto';
import type { Call } from '../handler/call.js';
import type { Json, Row } from '../handler/json.js';
import type { StatementDefinition } from '../sql/statement-definition.js';
import type { Statement } from '../sql/statement.js';
import type { DatabaseKind } from '../sql/jdbc-url.js';
import { startRead } from '../sql/reads-ahead.js';
import { renderSql, type PassedValue, type SqlTemplate } from '../sql/sql-template.js';
import { countTemplate, lastPage, totalOf } from './count-rows.js';
import type { FilterDefinition } from './filter.js';
import { Filtering, type FilteredStatement } from './filtered.js';
import { invalidValue } from './invalid-value.js';
import {
  columnReference,
  countSql,
  listBegin,
  listParts,
  listSql,
  reversed,
  valuesIn,
  type ListQuery,
  type ListValue,
  type OrderColumn,
} from './ordered-sql.js';
import { noLinks, pageLinks, type PageLinks } from './page-links.js';
import { backwards, placeOf, type AskedPage, type PageDefinition, type Place } from './page-place.js';
import { ordered, writeToken } from './page-token.js';
import { wrapped } from './wrapped-template.js';

export interface ListDefinition extends StatementDefinition {
  readonly order: {
    /** The location of the order name in the request, for 400 responses: `query.sort`. */
    readonly by?: string;
    readonly allow: Readonly<Record<string, readonly OrderColumn[]>>;
    readonly default: string;
  };
  /** The conditions that requests can choose; omitted for a list without a filter. */
  readonly filter?: FilterDefinition;
  /** Omitted for a list without pages. */
  readonly page?: PageDefinition;
}

/** The options selected by a call. Null and undefined mean the default order, the maximum number of rows, and the first page. */
export interface Asked extends AskedPage {
  readonly by?: Json | undefined;
  /** The conditions by name; null for all rows. */
  readonly filter?: Json | undefined;
}

export interface Page<Entry extends Row> {
  readonly rows: Entry[];
  /** The token of the next page; null on the last page. */
  readonly next: string | null;
  /** The token of the previous page; null on the first page, and if the list is declared without tokens of previous pages. */
  readonly previous: string | null;
  /** The number of rows of the whole list; null above the declared maximum, and if the list is declared without it. */
  readonly total: number | null;
  /** The number of the last page; null if it is not known. */
  readonly pages: number | null;
  readonly link: PageLinks;
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
  /** Undefined for a list without pages. */
  readonly place: Place | undefined;
  /** The statement without order and pages. */
  readonly filtered: FilteredStatement<StatementDefinition>;
  /** Whether the statement is one of those that are prepared. */
  readonly isKept: boolean;
  readonly pageOf: (rows: Entry[]) => Page<Entry>;
}

/** The members of the datasource that lists use. */
interface Reader {
  readonly kind: DatabaseKind;
  read<Entry extends Row>(definition: StatementDefinition): Statement<Entry>;
}

/** Creates a list of the rows of a statement. */
export function listOf<Entry extends Row = Row>(datasource: Reader, definition: ListDefinition): List<Entry> {
  const { order, page, filter, ...statementOfRows } = definition;
  const filtering = new Filtering<StatementDefinition>(statementOfRows, filter, datasource.kind);
  let preparedForms = 0;
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
  const choose = (passed: readonly PassedValue[], asked: Asked, isNextRead: boolean): Chosen<Entry> => {
    const name = orderName(asked.by ?? order.default, [...orders.keys()], order.by);
    const chosen = orders.get(name);
    if (chosen === undefined) throw new Error(`The order '${name}' is missing.`);
    const { columns, mark, statements } = chosen;
    const place = page && placeOf(page, asked, mark, columns);
    const { values: last, isBackward = false } = place?.cursor ?? {};
    const empty = last?.map((value) => value === null);
    const filtered = filtering.statement(passed, asked.filter);
    const { form, values } = filtered;
    const key = `${isBackward ? 'back' : isNextRead ? 'next' : ''}${empty?.map(Number).join('') ?? ''}${form}`;
    let statement = statements.get(key);
    if (statement === undefined) {
      const query: ListQuery = {
        columns: isBackward ? reversed(columns) : columns,
        after: empty,
        hasLimit: page !== undefined,
        hasOffset: page?.maxOffset !== undefined && last === undefined,
      };
      const isKept = form === '' || preparedForms < maxPreparedForms;
      const rows = isKept ? filtered.definition : { ...filtered.definition, once: true as const };
      statement = listStatement(datasource, rows, page?.after, query, values.length, isNextRead);
      if (isKept) statements.set(key, statement);
      if (isKept && form !== '') preparedForms += 1;
    }
    const isKept = statements.has(key);
    // An extra row shows whether there is a next page.
    const limit = (place?.size ?? 0) + (isNextRead ? 1 : 0);
    const own = statement.values.map((value) => {
      if (typeof value === 'number') return last?.[value] ?? null;
      return value === 'limit' ? limit : (place?.skipped ?? 0);
    });
    return { columns, mark, place, filtered, isKept, statement: statement.run, values: [...values, ...own] };
  };
  const paged = (passed: readonly PassedValue[], asked: Asked): PagedStatement<Entry> => {
    const chosen = choose(passed, asked, page !== undefined);
    const { columns, mark, place } = chosen;
    const pageOf = (rows: Entry[]): Page<Entry> => {
      if (page === undefined || place === undefined) return { rows, ...onePage };
      const { hasNext, hasPrevious } = cut(rows, place);
      const [start, end] = [rows[0], rows.at(-1)];
      const isWritten = page.maxOffset === undefined || asked.after !== undefined;
      const next = isWritten && hasNext && end !== undefined ? writeToken(mark, columns, end) : null;
      const isBefore = isWritten && hasPrevious && page.previous === true;
      const previous = isBefore && start !== undefined ? writeToken(backwards(mark), columns, start) : null;
      showOrdered(rows, columns);
      return { ...onePage, rows, next, previous };
    };
    return { ...chosen, size: place?.size, pageOf };
  };
  const counts = page?.total === undefined ? undefined : new Counts(datasource, page.total);
  const read = async (call: Call, passed: readonly PassedValue[], asked: Asked): Promise<Page<Entry>> => {
    const { statement, values, place, filtered, isKept, pageOf } = paged(passed, asked);
    if (page === undefined || place === undefined) return pageOf(await statement(call, values));
    if (counts === undefined && page.links === undefined) return pageOf(await statement(call, values));
    // Both are sent together, where the connection can be shared.
    const reading = startRead(statement, call, values);
    const counting = counts && startRead(counts.statement(filtered, isKept), call, filtered.values);
    const read = await reading;
    const hasNext = place.cursor?.isBackward === true || read.length > place.size;
    const found = pageOf(read);
    const { total: max = 0, maxOffset } = page;
    const total = counting === undefined ? null : totalOf(await counting, max);
    const isNumbered = counting !== undefined && maxOffset !== undefined;
    const pages = isNumbered ? lastPage(total, place.size, max, maxOffset) : null;
    if (page.links === undefined) return { ...found, total, pages };
    const facts = { ...found, pages, hasNext: hasNext && found.rows.length > 0 };
    return { ...found, total, pages, link: pageLinks(call, page, place, facts, asked.after !== undefined) };
  };
  return Object.assign(read, {
    chosen: (values: readonly PassedValue[], asked: Asked) => choose(values, asked, false),
    paged,
  });
}

interface Chosen<Entry extends Row> extends ChosenStatement<Entry> {
  readonly columns: readonly OrderColumn[];
  readonly mark: string;
  /** Undefined for a list without pages. */
  readonly place: Place | undefined;
  readonly filtered: FilteredStatement<StatementDefinition>;
  readonly isKept: boolean;
}

/** The number of forms of a list with conditions that are kept and prepared. Others are sent unnamed, so that they push out nothing. */
const maxPreparedForms = 50;

/** The facts about a page, for a list that is read without pages. */
const onePage = { next: null, previous: null, total: null, pages: null, link: noLinks } as const;

/** Removes the extra row, and puts the rows of a previous page in the order of the list. */
function cut(
  rows: unknown[],
  { size, cursor, skipped }: Place,
): { readonly hasNext: boolean; readonly hasPrevious: boolean } {
  const isCut = rows.length > size;
  if (isCut) rows.length = size;
  if (cursor?.isBackward !== true)
    return { hasNext: isCut, hasPrevious: cursor !== undefined || skipped > 0 };
  rows.reverse();
  return { hasNext: true, hasPrevious: isCut };
}

/** The statements that count the rows of the list. */
class Counts {
  private readonly statements = new Map<string, Statement>();

  constructor(
    private readonly datasource: Reader,
    private readonly max: number,
  ) {}

  /** `isKept`: whether the statement of the list is prepared, and therefore also this one. */
  statement({ form, definition }: FilteredStatement<StatementDefinition>, isKept: boolean): Statement {
    const known = this.statements.get(form);
    if (known !== undefined) return known;
    const statement = this.countOf(isKept ? definition : { ...definition, once: true });
    if (isKept) this.statements.set(form, statement);
    return statement;
  }

  private countOf({ columnNames: _names, truths: _truths, ...definition }: StatementDefinition): Statement {
    const { sql } = definition;
    return this.datasource.read({
      ...definition,
      sql: typeof sql === 'string' ? countSql(sql, this.max) : countTemplate(sql, this.max),
    });
  }
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
  definition: StatementDefinition,
  /** The location of the token in the request. */
  token: string | undefined,
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
    typeof one !== 'number' || token === undefined ? [] : [[count + index, token] as const],
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
  inner: SqlTemplate,
  query: ListQuery,
  dialect: DatabaseKind,
): { readonly sql: SqlTemplate; readonly values: readonly ListValue[] } {
  const parts = listParts(query, dialect);
  return { sql: wrapped(inner, listBegin, parts), values: valuesIn(parts) };
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
  const compared = values.map((value) => (typeof value === 'number' ? (columns[value] ?? 'NULL') : 'NULL'));
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
