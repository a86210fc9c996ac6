/**
 * Types of the columns that the values of a statement are written to or compared with. The server reports these types for a SELECT of
 * the columns.
 */
import { messageOf } from '../handler/reply.js';
import type { Connection } from 'mysql2';
import type { Query, ValueColumns } from '../sql/driver.js';
import { RecentMap } from '../sql/rows.js';
import { DatabaseFailure } from '../sql/failure.js';
import {
  alternativeBinder,
  columnBinder,
  columnParameter,
  comparedBinder,
  positionBinder,
  type ColumnBinder,
} from './column-value.js';
import { isMysqlError, mysqlFailure } from './failure.js';
import type { MysqlColumn } from './column-types.js';
import { prepare } from './driver-internals.js';
import { UnfitValueError, type MysqlParameter } from './parameter.js';

/** Milliseconds before the columns of a table are queried again for comparisons, because the table may have changed. */
const lifetime = 5_000;

/** Exceeds the number of statements that pass values to columns, except in services with many combinations of filters. */
const maxTexts = 4096;

/** The binder for a column, and the column name in its table; empty for an expression. */
interface Binding {
  readonly bind: ColumnBinder | undefined;
  readonly column: string;
}

/** The bindings for the columns of one SELECT, in order. */
type Bindings = readonly Binding[];

/** The bindings for each SELECT of a statement. */
export type Binders = readonly Bindings[];

const none: Binders = [];

interface Known {
  readonly bindings: Bindings;
  readonly until: number;
}

export class ValueColumnTypes {
  private readonly types = new RecentMap<string, Known>(maxTexts);

  /**
   * The binders for the values of a statement; undefined if the server must be queried. Columns that are written to are always queried,
   * because a value in the wrong form would be stored. `isHeld`: the transaction has already written to these columns, so their tables
   * cannot have changed.
   */
  known({ columns = [] }: Query, isHeld: boolean): Binders | undefined {
    if (columns.length === 0) return none;
    const binders: Bindings[] = [];
    for (const { text, use } of columns) {
      const known = this.types.get(keyOf(text, use));
      if (known === undefined) return undefined;
      if (!isHeld && (use === 'written' || known.until <= performance.now())) return undefined;
      binders.push(known.bindings);
    }
    return binders;
  }

  /** Queries the server. Throws the errors of the driver. */
  async look(connection: Connection, { columns = [] }: Query): Promise<Binders> {
    // All queries are sent before the first response arrives.
    const found = await Promise.all(columns.map((one) => this.describe(connection, one)));
    return found;
  }

  private async describe(connection: Connection, columns: ValueColumns): Promise<Bindings> {
    const bindings = await describe(connection, columns);
    this.types.set(keyOf(columns.text, columns.use), { bindings, until: performance.now() + lifetime });
    return bindings;
  }
}

/** The form for writing to a column differs from that for comparisons. */
function keyOf(text: string, use: ValueColumns['use']): string {
  return `${use} ${text}`;
}

/** The parameters of a statement. Throws a DatabaseFailure (`bad-value`) for a value that its column does not accept. */
export function parametersOf({ values, columns, isJsonText }: Query, binders: Binders): MysqlParameter[] {
  return values.map((value, index) => {
    try {
      return columnParameter(binderOf(columns, binders, index), value, isJsonText?.(index) === true);
    } catch (error) {
      if (!(error instanceof UnfitValueError)) throw error;
      throw new DatabaseFailure({
        kind: 'bad-value',
        reason: 'a value does not fit',
        value: { index, expected: error.expected },
      });
    }
  });
}

/** The binder for the value with this index. */
function binderOf(
  columns: readonly ValueColumns[] = [],
  binders: Binders,
  index: number,
): ColumnBinder | undefined {
  for (const [place, { origins }] of columns.entries()) {
    const bind = binders[place]?.[origins?.[index] ?? index]?.bind;
    if (bind !== undefined) return bind;
  }
  return undefined;
}

/** Messages about values rejected by a column. They can contain the value, so only the end is parsed. */
const ofColumn = [
  /^(?:Data too long|Data truncated|Out of range value) for column '([^']+)' at row 1$/,
  /^Incorrect .* value: .* for column `[^`]+`\.`[^`]+`\.`([^`]+)` at row 1$/s,
  /^Incorrect .* value: .* for column '([^'`]+)' at row 1$/s,
  /^Column '([^']+)' cannot be null$/,
];

/**
 * The error of a statement. It names the rejected value if that is certain: only one value belongs to the column in the message, and
 * the SQL does not mention the column elsewhere.
 */
export function withRefusedValue(
  error: unknown,
  { text, values, columns }: Query,
  binders: Binders,
): unknown {
  const place = columns?.findIndex(({ use }) => use === 'written') ?? -1;
  if (place === -1 || !isMysqlError(error)) return error;
  const origins = columns?.[place]?.origins;
  const failure = mysqlFailure(error, text);
  const column = failure.kind === 'bad-value' ? refusedColumn(error) : undefined;
  if (column === undefined || !isNamedOnce(text, column)) return error;
  const [index, another] = values.flatMap((_, value) =>
    binders[place]?.[origins?.[value] ?? value]?.column.toLowerCase() === column ? [value] : [],
  );
  if (index === undefined || another !== undefined) return error;
  const isNull = values[index] === null;
  if (isNull !== isMysqlError(error, [nullRefused])) return error;
  const expected = isNull ? 'a value that is not null' : '';
  return new DatabaseFailure({ ...failure, value: { index, expected } }, error);
}

/** ER_BAD_NULL_ERROR. */
const nullRefused = 1048;

function refusedColumn(error: unknown): string | undefined {
  const message = messageOf(error);
  return ofColumn
    .map((pattern) => pattern.exec(message)?.[1]?.toLowerCase())
    .find((name) => name !== undefined);
}

/** Whether the SQL contains the name only where the value is written, and not in a condition or in an assignment after ON DUPLICATE KEY. */
function isNamedOnce(text: string, column: string): boolean {
  const written = text.toLowerCase().replace(/\breturning\s[\s\w$*,.`]*$/, '');
  const words = written.match(/[\p{L}\p{N}_$]+|[^\s`]/gu) ?? [];
  const kept = [column, '=', 'values', '(', column, ')'];
  const isKept = (start: number): boolean => kept.every((word, index) => words[start + index] === word);
  const named = words.filter(
    (word, index) => word === column && !isKept(index) && !isKept(index - kept.lastIndexOf(column)),
  );
  return named.length === 1;
}

/**
 * Queries the types of columns. Returns no bindings for a user who may write but not read; an invalid statement reports its error
 * later.
 */
async function describe(connection: Connection, { text, use }: ValueColumns): Promise<Bindings> {
  try {
    return (await columnsOf(connection, text)).map((column) => ({
      bind: use === 'compared' && isAlternative(column) ? alternativeBinder(column) : binderFor[use](column),
      column: column.name.toLowerCase() === column.orgName?.toLowerCase() ? column.orgName : '',
    }));
  } catch (error) {
    if (!isMysqlError(error)) throw error;
    return [];
  }
}

/** Whether the compiler has marked the column as an alternative: values are returned in place of the column, and not compared with it. */
function isAlternative({ name, orgName }: MysqlColumn): boolean {
  return name === 'alternative' && name !== orgName;
}

const binderFor = { written: columnBinder, compared: comparedBinder, position: positionBinder };

/** The columns of a SELECT, which is prepared and closed without being run. */
function columnsOf(connection: Connection, text: string): Promise<readonly MysqlColumn[]> {
  return new Promise((resolve, reject) => {
    prepare(connection, text, (error, prepared) => {
      if (prepared === undefined) {
        reject(error ?? new Error('nothing was prepared'));
        return;
      }
      prepared.close();
      resolve(prepared.columns);
    });
  });
}
