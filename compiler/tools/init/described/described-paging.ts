/** Query parameters of an API description that select a part of a list, and the SQL for them. */
import { sql } from '../../../notation/sql-writer.js';
import { joined, type Written } from '../../../notation/written.js';
import type { ApiEndpoint, ApiParameter } from '../../../read/openapi/api-model.js';
import type { Dialect } from '../../../read/sql/dialect.js';
import { onlyType } from './described-shape.js';
import type { Words } from '../words.js';

export interface Paging {
  /** The parameters that are used. */
  readonly names: readonly string[];
  /** The parameter for the number of rows. */
  readonly limit: ApiParameter | undefined;
  /** Max rows per page. */
  readonly max: number;
  /** Whether a number in the request (of a row or a page) defines where a page starts. */
  readonly isNumbered: boolean;
  /** The statement for one page; `lines` are the statement for all rows, `names` its columns. */
  page(lines: readonly Written<'sql'>[], names: readonly Written<'sql'>[]): Written<'sql'>;
}

const limitName =
  /^\$?(?:limit|(?:page)?[-_]?size|per[-_]?page|top|count|max[-_]?results|page\[(?:limit|size)\])$/i;
const offsetName = /^\$?(?:offset|skip|start|page\[offset\])$/i;
const pageName = /^page(?:[-_]?(?:number|no|index)|\[number\])?$/i;

/** Rows per page if neither the request nor the description defines a number. */
const usual = 20;
const maxLimit = 1000;
/** Max rows per page with a cursor if the description does not define a number, and the upper limit for defined numbers. */
const maxPage = 100;
const maxOfAll = 10_000;

export function pagingOf({ parameters }: ApiEndpoint, dialect: Dialect, words: Words): Paging {
  const find = (name: RegExp): ApiParameter | undefined =>
    parameters.find((one) => one.in === 'query' && name.test(one.name) && isWhole(one));
  const limit = find(limitName);
  const offset = find(offsetName);
  const page = offset === undefined && limit !== undefined ? find(pageName) : undefined;
  const used = [limit, offset, page].flatMap((one) => (one === undefined ? [] : [one.name]));
  const value = (parameter: ApiParameter, fallback: number): Written<'sql'> => {
    const written = words.inSql(words.param(parameter.name));
    return hasValue(parameter) ? written : sql`coalesce(${written}, ${fallback})`;
  };
  const rows = limit === undefined ? sql`${maxLimit}` : value(limit, usual);
  const first = page === undefined ? 1 : firstPage(page);
  const skipped =
    offset !== undefined
      ? value(offset, 0)
      : page === undefined
        ? undefined
        : sql`(${value(page, first)}${first === 0 ? sql`` : sql` - 1`}) * ${rows}`;
  const isPlain = [limit, offset].every((one) => one === undefined || hasValue(one)) && page === undefined;
  // MySQL's LIMIT does not accept expressions.
  const isCounted = dialect === 'mysql' && !isPlain;
  return {
    names: used,
    limit,
    max: limit === undefined ? maxLimit : largestPage(limit),
    isNumbered: offset !== undefined || page !== undefined,
    page: (lines, names) =>
      isCounted
        ? numbered(lines, names, rows, skipped)
        : joined(
            [...lines, sql`LIMIT ${rows}${skipped === undefined ? sql`` : sql` OFFSET ${skipped}`}\n`],
            '\n',
          ),
  };
}

function largestPage({ schema }: ApiParameter): number {
  const maximum = schema?.bounds.get('maximum');
  const usualNumber = typeof schema?.default === 'number' ? schema.default : 1;
  const wished = typeof maximum === 'number' ? maximum : Math.max(usualNumber, maxPage);
  return Math.min(Math.max(Math.floor(wished), 1), maxOfAll);
}

function isWhole({ schema }: ApiParameter): boolean {
  return schema !== undefined && onlyType(schema) === 'integer';
}

/** Whether every request has a value. */
function hasValue({ required, schema }: ApiParameter): boolean {
  return required || typeof schema?.default === 'number';
}

/** Pages are counted from 1, unless the description starts at 0. */
function firstPage({ schema }: ApiParameter): number {
  return schema?.default === 0 || schema?.bounds.get('minimum') === 0 ? 0 : 1;
}

function numbered(
  lines: readonly Written<'sql'>[],
  names: readonly Written<'sql'>[],
  rows: Written<'sql'>,
  skipped: Written<'sql'> | undefined,
): Written<'sql'> {
  const [select = sql``, ...others] = lines;
  const order = others.findIndex((line) => line.startsWith('ORDER BY'));
  const over = order === -1 ? sql`` : (others.splice(order, 1)[0] ?? sql``);
  const inner = joined([sql`${select}, row_number() OVER (${over}) AS row_position`, ...others], '\n  ');
  const start = skipped ?? sql`0`;
  return sql`SELECT ${joined(names, ', ')}\nFROM (\n  ${inner}\n) AS numbered\nWHERE row_position > ${start} AND row_position <= ${start} + ${rows}\nORDER BY row_position\n`;
}
