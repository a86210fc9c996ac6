/** Statements that have been measured as quick, and therefore share connections. */
import { expect } from 'vitest';
import { ServiceError } from '../../../runtime/handler/reply.js';
import type { Json } from '../../../runtime/handler/json.js';
import type { Statement } from '../../../runtime/sql/statement.js';
import { pinnedConnection } from '../../../runtime/sql/reads-ahead.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { testCall } from '../../helpers/test-call.js';

/** A READ measured as quick, with an open shared connection. */
export async function quickRead(
  datasource: DatabaseDatasource,
  sql: string,
  values: readonly Json[],
): Promise<Statement> {
  const found: Statement[] = [];
  const attempt = async () => {
    // A statement that was slow once because of other work is not trusted again soon; a new statement has no such history.
    const statement = datasource.read({ operation: 'GET /x', fulfillment: 'x', sql });
    for (let times = 0; times < 8 && !isShared(statement); times += 1) await statement(testCall(), values);
    if (isShared(statement)) found.push(statement);
    return found.length;
  };
  await expect.poll(attempt).toBe(1);
  const [statement] = found;
  if (statement === undefined) throw new Error('none');
  return statement;
}

/** Whether the next run of the statement will use a shared connection. */
export function isShared(statement: Statement): boolean {
  return pinnedConnection(statement.runner, testCall()) !== undefined;
}

/** The status of a run; 0 if it fails without a status. */
export function statusOf(run: Promise<unknown>): Promise<number> {
  return run.then(() => 200, statusOfError);
}

export function statusOfError(error: unknown): number {
  return error instanceof ServiceError ? error.status : 0;
}
