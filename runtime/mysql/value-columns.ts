/** The types of the columns that a statement's values are passed to, which the server reports for a SELECT of these columns. */
import type { Connection } from 'mysql2';
import type { Query, ValueColumns } from '../sql/driver.js';
import { DatabaseFailure } from '../sql/failure.js';
import { columnBinder, columnParameter, comparedBinder, type ColumnBinder } from './column-value.js';
import { isMysqlError } from './failure.js';
import type { MysqlColumn } from './column-types.js';
import { prepare } from './driver-internals.js';
import { UnfitValueError, type MysqlParameter } from './parameter.js';

/** After this time a table is looked at again: it may have been changed. */
const lifetime = 60_000;

/** More than the statements of a service that pass values to columns. */
const maxTexts = 1000;

/** How values are bound for the columns, in their order. */
export type Binders = readonly (ColumnBinder | undefined)[];

const none: Binders = [];

interface Known {
  readonly binders: Binders;
  readonly until: number;
}

export class ValueColumnTypes {
  private readonly types = new Map<string, Known>();

  /** The binders of a statement's values; undefined where the server has to be asked. */
  known({ columns }: Query): Binders | undefined {
    if (columns === undefined) return none;
    const known = this.types.get(columns.text);
    return known !== undefined && known.until > performance.now() ? known.binders : undefined;
  }

  /** Asks the server. Throws errors of the driver. */
  async look(connection: Connection, { columns }: Query): Promise<Binders> {
    if (columns === undefined) return none;
    const binders = await describe(connection, columns);
    if (this.types.size >= maxTexts) this.types.clear();
    this.types.set(columns.text, { binders, until: performance.now() + lifetime });
    return binders;
  }
}

/** The parameters of a statement. Throws a DatabaseFailure (`bad-value`) for a value that its column does not accept. */
export function parametersOf({ values, columns, isJsonText }: Query, binders: Binders): MysqlParameter[] {
  return values.map((value, index) => {
    const binder = binders[columns?.origins?.[index] ?? index];
    try {
      return columnParameter(binder, value, isJsonText?.(index) === true);
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

/** A user who may write but not read gets no types of columns. An invalid statement reports its own error. */
async function describe(
  connection: Connection,
  { text, areCompared = false }: ValueColumns,
): Promise<Binders> {
  try {
    const binderOf = areCompared ? comparedBinder : columnBinder;
    return (await columnsOf(connection, text)).map((column) => binderOf(column));
  } catch (error) {
    if (!isMysqlError(error)) throw error;
    return none;
  }
}

/** The columns of a SELECT that is not run; nothing of it stays in the server. */
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
