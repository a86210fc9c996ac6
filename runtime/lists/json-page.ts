/**
 * Pages that are only read by a JSON response, with the token of the next page: rows are converted to bytes of the response as they
 * arrive.
 */
import type { Call } from '../handler/call.js';
import type { Json, Row } from '../handler/json.js';
import { JsonRows, type JsonRowsOrValues } from '../handler/rows-as-json.js';
import { ofRows, readJson } from '../responses/json-rows.js';
import { RowBytes, type RowDigits, type RowFields } from '../responses/row-bytes.js';
import type { PassedValue } from '../sql/sql-template.js';
import type { Asked, List } from './list-of.js';
import type { OrderColumn } from './ordered-sql.js';
import { writeToken } from './page-token.js';

export interface JsonPage {
  readonly rows: JsonRowsOrValues;
  /** The token of the next page; null on the last page. */
  readonly next: string | null;
}

/** A page for a response body, with rows as in `jsonRows`. Throws the ServiceErrors of the list. */
export async function jsonPage<Entry extends Row>(
  list: List<Entry>,
  call: Call,
  values: readonly PassedValue[],
  asked: Asked,
  fields?: Readonly<Record<string, keyof Entry & string>>,
  scales?: RowDigits,
): Promise<JsonPage> {
  const chosen = list.paged(values, asked);
  const { statement, size = Infinity, columns, mark } = chosen;
  return readJson(statement, call, chosen.values, {
    sink: () => new PageBytes(fields, scales, size, columns),
    ofJson: (json, { end }): JsonPage => ({
      rows: new JsonRows(json),
      next: end === undefined ? null : writeToken(mark, columns, end),
    }),
    ofRows: (read): JsonPage => {
      const { rows, next } = chosen.pageOf(read);
      return { rows: ofRows(rows, fields, scales), next };
    },
  });
}

/** Collects the rows of a page, without the extra row after it. */
class PageBytes extends RowBytes {
  private count = 0;
  /** The values of the last row that are needed for the order. */
  private last: Row | undefined;
  private isCut = false;

  constructor(
    fields: RowFields | undefined,
    scales: RowDigits | undefined,
    private readonly size: number,
    private readonly columns: readonly OrderColumn[],
  ) {
    super(fields, 'array', scales);
  }

  /** The last row, if more rows follow. */
  get end(): Row | undefined {
    return this.isCut ? this.last : undefined;
  }

  override take(bytes: Buffer, from: number, to: number): boolean {
    this.isCut = this.count === this.size;
    if (this.isCut) return true;
    if (!super.take(bytes, from, to)) return false;
    this.took((index) => this.orderedValueAt(index, bytes));
    return true;
  }

  override takeValues(values: readonly Json[], orderedAt: (index: number) => Json): void {
    this.isCut = this.count === this.size;
    if (this.isCut) return;
    super.takeValues(values, orderedAt);
    this.took(orderedAt);
  }

  private took(orderedAt: (index: number) => Json): void {
    this.count += 1;
    if (this.count < this.size) return;
    const ordered = this.columns.flatMap(({ column }): [string, Json][] => {
      const index = this.names.lastIndexOf(column);
      return index === -1 ? [] : [[column, orderedAt(index)]];
    });
    this.last = Object.fromEntries(ordered);
  }
}
