/** The types of the columns that a statement's values are given to, which the server tells of a SELECT of these columns. */
import type { Connection } from 'mysql2';
import type { Query } from '../sql/driver.js';
import { DatabaseFailure } from '../sql/failure.js';
import { columnBinder, columnParameter, type ColumnBinder } from './column-value.js';
import { isMysqlError } from './failure.js';
import { describeSelect } from './prepare.js';
import { UnfitValueError, type MysqlParameter } from './parameter.js';

/** After this time a table is looked at again: it may have been changed. */
const lifetime = 60_000;

/** More texts than a service has statements that give values to columns. */
const maxTexts = 1000;

interface Known {
  readonly binders: readonly (ColumnBinder | undefined)[];
  readonly until: number;
}

export class ValueColumnTypes {
  private readonly known = new Map<string, Known>();

  /**
   * The parameters of a statement. Throws a DatabaseFailure (`bad-value`) for a value that does not fit its column, and errors of
   * the driver.
   */
  async parameters(
    connection: Connection,
    { values, columns, isJsonText }: Query,
  ): Promise<MysqlParameter[]> {
    const binders = columns === undefined ? [] : await this.binders(connection, columns.text);
    return values.map((value, place) => {
      const binder = binders[columns?.origins?.[place] ?? place];
      try {
        return columnParameter(binder, value, isJsonText?.(place) === true);
      } catch (error) {
        if (!(error instanceof UnfitValueError)) throw error;
        throw new DatabaseFailure({
          kind: 'bad-value',
          reason: 'a value does not fit',
          value: { place, expected: error.expected },
        });
      }
    });
  }

  private async binders(connection: Connection, text: string): Promise<Known['binders']> {
    const known = this.known.get(text);
    if (known !== undefined && known.until > performance.now()) return known.binders;
    const binders = await look(connection, text);
    if (this.known.size >= maxTexts) this.known.clear();
    this.known.set(text, { binders, until: performance.now() + lifetime });
    return binders;
  }
}

/** Who may write but not read is told nothing of the columns, and a statement that is wrong says so itself. */
async function look(connection: Connection, text: string): Promise<Known['binders']> {
  try {
    return (await describeSelect(connection, text)).map(columnBinder);
  } catch (error) {
    if (!isMysqlError(error)) throw error;
    return [];
  }
}
