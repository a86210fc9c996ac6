/** Statements that are prepared by the server: always there, since the driver's other way puts values into the text. */
import type { Connection, QueryOptions } from 'mysql2';
import type { MysqlColumn } from './column-types.js';

/** The columns of a result; of several, those of each. */
export type Fields = readonly MysqlColumn[] | readonly (readonly MysqlColumn[])[] | undefined;

/** Runs a statement. Throws the errors of the driver. */
export function execute(
  connection: Connection,
  options: QueryOptions,
): Promise<[result: unknown, fields: Fields]> {
  return new Promise((resolve, reject) => {
    connection.execute(options, (error: Error | null, result: unknown, fields: unknown) => {
      if (error === null) resolve([result, fields as Fields]);
      else reject(error);
    });
  });
}

/** Prepares a statement, and gives the columns of its result; the connection remembers it for its execution. */
export function prepare(connection: Connection, text: string): Promise<readonly MysqlColumn[]> {
  return new Promise((resolve, reject) => {
    connection.prepare(statementKey(text), (error, statement) => {
      if (error === null) resolve((statement as unknown as Prepared).columns);
      else reject(error);
    });
  });
}

interface Prepared {
  readonly columns: readonly MysqlColumn[];
}

/** Makes the connection forget the statement. */
export function unprepare(connection: Connection, text: string): void {
  connection.unprepare(statementKey(text));
}

/** The columns of a SELECT that is not run; nothing of it stays in the server. */
export async function describeSelect(connection: Connection, text: string): Promise<readonly MysqlColumn[]> {
  const columns = await prepare(connection, text);
  unprepare(connection, text);
  return columns;
}

/** What a connection knows a statement by: the text, and how its rows are read. The declared type names only the text. */
function statementKey(text: string): string {
  return { sql: text, rowsAsArray: true } as unknown as string;
}
