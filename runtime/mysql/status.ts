/** Whether a transaction is open, as the server reports it with every result that is not a list of rows. */
import type { Connection } from 'mysql2';

/** SERVER_STATUS_IN_TRANS and SERVER_STATUS_AUTOCOMMIT. */
const inTransaction = 1;
const autocommit = 2;

const open = new WeakMap<Connection, boolean>();

/**
 * Records what the driver returns for a statement. The driver shows no status for rows: a statement that returns rows neither begins nor
 * ends a transaction, except procedures, which end with an own result after the rows.
 */
export function noteMysqlStatus(connection: Connection, result: unknown): void {
  const last: unknown = Array.isArray(result) ? result.at(-1) : result;
  if (typeof last !== 'object' || last === null || !('serverStatus' in last)) return;
  const { serverStatus: status } = last;
  // Without autocommit the next statement would begin one.
  if (typeof status === 'number')
    open.set(connection, (status & inTransaction) !== 0 || (status & autocommit) === 0);
}

/** Whether one is open, as far as the server has reported; in a session without autocommit there always is. */
export function mysqlTransactionOpen(connection: Connection): boolean | undefined {
  return open.get(connection);
}
