/** Runs an operation in transactions (`transaction: true`): either all or none of its changes are made. */
import { afterChanges, noteChange, type Call } from '../handler/call.js';
import { InnerCall } from '../handler/inner-call.js';
import type { Row } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import type { Query } from '../sql/driver.js';
import { Attempts } from '../sql/retries.js';
import { DatabaseTransaction, type OpenDatasource } from '../sql/run-alone.js';
import { DatasourceTransaction, type TransactionPart } from './datasource-transaction.js';

/** Minimum milliseconds for COMMIT near the deadline of the call, because an unknown outcome is worse than a late response. */
const commitTime = 1000;

export interface TransactionOptions {
  /**
   * Whether the steps run again, up to three times, after a conflict has undone everything. Only for steps without side effects outside
   * of databases, because a request to another system cannot be undone.
   */
  readonly retryOnConflict?: boolean;
}

/** Derived from a method, so that TypeScript accepts steps with typed requests. */
type Steps<Result> = { run(call: Call): Promise<Result> }['run'];

/**
 * Runs the steps, and the operations that they call, in one transaction per datasource.
 *
 * - The transactions are committed when the steps have ended.
 * - They are rolled back after any error or exception of the configuration, and if the call ends before the commit.
 * - A call inside a transaction joins it.
 * - Several datasources are committed one after another, in the order of their first statements. If a commit fails, earlier commits
 *   persist, which is logged.
 */
export async function inTransaction<Result>(
  call: Call,
  run: Steps<Result>,
  { retryOnConflict = false }: TransactionOptions = {},
): Promise<Result> {
  if (call.transaction !== undefined) return run(call);
  const attempts = new Attempts(call);
  try {
    for (;;) {
      try {
        return await runOnce(call, run, retryOnConflict);
      } catch (error) {
        const isConflict = error instanceof ServiceError && error.details.outcome === 'conflict';
        if (!retryOnConflict || !isConflict || !(await attempts.again('conflict'))) throw error;
      }
    }
  } catch (error) {
    throw afterChanges(call, error);
  }
}

async function runOnce<Result>(call: Call, run: Steps<Result>, runsAgain: boolean): Promise<Result> {
  const transaction = new SharedTransaction(runsAgain);
  const parts = transaction.parts;
  let result: Result;
  try {
    result = await run(new TransactionCall(call, transaction));
    if (parts.size > 0) call.proceed();
  } catch (error) {
    await rollBack([...parts.values()]);
    throw error;
  }
  await commit([...parts.values()], call);
  if (parts.size > 0) noteChange(call);
  return result;
}

async function commit(parts: readonly TransactionPart[], call: Call): Promise<void> {
  const deadline = Math.max(call.deadline, performance.now() + commitTime);
  for (const [index, part] of parts.entries()) {
    try {
      await part.commit(deadline);
    } catch (error) {
      await rollBack(parts.slice(index + 1));
      const committed = parts.slice(0, index).map(({ datasource }) => datasource);
      throw committed.length === 0 ? error : partlyCommitted(committed, error);
    }
  }
}

async function rollBack(parts: readonly TransactionPart[]): Promise<void> {
  await Promise.all(parts.map((part) => part.rollback()));
}

function partlyCommitted(committed: readonly string[], error: unknown): ServiceError {
  const details = error instanceof ServiceError ? error.details : {};
  return new ServiceError(500, 'Only a part of the change is certain to have been made', {
    log: { ...details.log, committed: committed.join(', ') },
    cause: error,
  });
}

export class SharedTransaction extends DatabaseTransaction {
  /** Parts by datasource, in the order of their first statements. */
  readonly parts = new Map<object, TransactionPart>();

  constructor(readonly runsAgain = false) {
    super();
  }

  runAhead(
    opened: OpenDatasource,
    queries: Iterable<Query>,
    call: Call,
  ): Promise<readonly PromiseSettledResult<Row[]>[]> {
    return this.parts.get(opened)?.runAhead(queries, call) ?? Promise.resolve([]);
  }

  run(opened: OpenDatasource, query: Query, call: Call, tentative: boolean): Promise<Row[]> {
    const part = this.parts.get(opened) ?? new DatasourceTransaction(opened);
    this.parts.set(opened, part);
    return part.run(query, call, tentative);
  }
}

/** The call inside the transaction. */
class TransactionCall extends InnerCall {
  readonly depth: number;

  constructor(
    outer: Call,
    private readonly shared: SharedTransaction,
  ) {
    super(outer);
    this.depth = outer.depth ?? 0;
  }

  override get transaction(): SharedTransaction {
    return this.shared;
  }
}
