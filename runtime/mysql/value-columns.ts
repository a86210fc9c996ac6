/** The types of the columns that a statement's values are written to and compared with, which the server reports for a SELECT of these columns. */
import { messageOf } from '../handler/reply.js';
import type { Connection } from 'mysql2';
import type { Query, ValueColumns } from '../sql/driver.js';
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

/** After this time a table is looked at again before values are compared with its columns: it may have been changed. */
const lifetime = 5_000;

/** More than the statements of a service that pass values to columns. */
const maxTexts = 4096;

/** How a value is bound for its column, and the name of that column in its table; empty for an expression. */
interface Binding {
  readonly bind: ColumnBinder | undefined;
  readonly column: string;
}

/** How values are bound for the columns of one SELECT, in their order. */
type Bindings = readonly Binding[];

/** The bindings of each SELECT of a statement. */
export type Binders = readonly Bindings[];

const none: Binders = [];

interface Known {
  readonly bindings: Bindings;
  readonly until: number;
}

export class ValueColumnTypes {
  private readonly types = new Map<string, Known>();

  /**
   * The binders of a statement's values; undefined if the server has to be asked. Before a value is written it is always asked, because a
   * value in the wrong form would be stored. `isHeld`: the transaction has written to these columns before, so their tables are unchanged.
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

  /** Asks the server. Throws errors of the driver. */
  async look(connection: Connection, { columns = [] }: Query): Promise<Binders> {
    // All are sent before the first response arrives.
    const found = await Promise.all(columns.map((one) => this.describe(connection, one)));
    return found;
  }

  private async describe(connection: Connection, columns: ValueColumns): Promise<Bindings> {
    const bindings = await describe(connection, columns);
    if (this.types.size >= maxTexts) this.types.clear();
    this.types.set(keyOf(columns.text, columns.use), { bindings, until: performance.now() + lifetime });
    return bindings;
  }
}

/** A column is written in another form than it is compared. */
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

/** How the value with this index is bound. */
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

/** Messages about a value that a column does not accept. They can contain the value, so only their end is parsed. */
const ofColumn = [
  /^(?:Data too long|Data truncated|Out of range value) for column '([^']+)' at row 1$/,
  /^Incorrect .* value: .* for column `[^`]+`\.`[^`]+`\.`([^`]+)` at row 1$/s,
  /^Incorrect .* value: .* for column '([^'`]+)' at row 1$/s,
  /^Column '([^']+)' cannot be null$/,
];

/**
 * The error of a statement. It names the refused value if it is certain: the value is the only one for the column in the message, and the
 * SQL mentions the column nowhere else.
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

/** Whether the SQL has the name only where the value is written: not in a condition, and not in an assignment after ON DUPLICATE KEY. */
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

/** A user with the right to write but not to read gets no types of columns. An invalid statement reports its error later. */
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

/** Whether the compiler has marked the column by its name: values are returned in its place, and not compared with it. */
function isAlternative({ name, orgName }: MysqlColumn): boolean {
  return name === 'alternative' && name !== orgName;
}

const binderFor = { written: columnBinder, compared: comparedBinder, position: positionBinder };

/** The columns of a SELECT, which is only prepared, and then closed in the server. */
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
