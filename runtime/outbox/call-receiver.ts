/** Makes stored calls, with only the caller and the parameters that were stored. */
import type { AskedAgain } from '../authentication/authentication.js';
import { noteGiven } from '../authentication/find-caller.js';
import { RefusedCredentials } from '../authentication/refusal.js';
import type { Call } from '../handler/call.js';
import { textOf, type JsonObject } from '../handler/json.js';
import { isFailure, ServiceError } from '../handler/reply.js';
import type { Handler } from '../http/route.js';
import { referenceCall, type PassedValues } from '../references/reference.js';
import { timedCall } from '../schedule/timed-run.js';
import type { ConfiguredAuthentication } from '../server/contracts.js';
import { describeFailure } from '../server/log.js';
import { inTransaction, SharedTransaction, type TransactionOptions } from '../transactions/transaction.js';
import type { Receiver } from './delivery.js';
import { again, isPassing, refused, type NotSent, type Outcome } from './outcome.js';
import { readCall, type CallHead } from './stored-call.js';
import type { Claimed, OutboxStore } from './store.js';

/** An operation that may be called after a commit. */
export interface DeferredOperation extends TransactionOptions {
  readonly operation: string;
  readonly handler: Handler;
  /** Whether the operation runs in a transaction, which also marks the call as made. */
  readonly transaction?: boolean;
}

/** Milliseconds after which a call expires unless `within` says less. */
const lifetime = 3 * 24 * 3600 * 1000;

export class CallReceiver implements Receiver {
  private operations: ReadonlyMap<string, DeferredOperation> = new Map();
  private authentications: readonly ConfiguredAuthentication[] = [];
  #timeout = 0;

  constructor(private readonly store: OutboxStore) {}

  /** Calls are stored under the name of the database, which no other datasource has. */
  get name(): string {
    return this.store.name;
  }

  /** REQUEST_TIMEOUT. */
  get timeout(): number {
    return this.#timeout;
  }

  declare(
    operations: readonly DeferredOperation[],
    authentications: readonly ConfiguredAuthentication[],
  ): void {
    this.operations = new Map(operations.map((one) => [one.operation, one]));
    this.authentications = authentications;
  }

  open(timeout: number): void {
    this.#timeout = timeout;
  }

  async attempt(row: Claimed): Promise<Outcome> {
    const { head, passed } = readCall(row);
    const limited = { ...row, timeLeft: timeLeftOf(row, head) };
    const deferred = this.operations.get(row.url);
    // During a deployment, a process of another version may know what this one does not.
    if (deferred === undefined) return again(limited, `there is no operation '${row.url}'`);
    try {
      const found = await this.callerOf(head, limited);
      if ('state' in found) return found;
      return await this.run(deferred, row, deferredCall(this.timeout, found.caller, passed));
    } catch (error) {
      const failure = failureOf(error);
      const outcome = isPassing(failure.status) ? again(limited, failure.reason) : refused(failure.reason);
      return { ...withTimes(outcome, row, head), log: { calls: row.url, ...failure.log } };
    }
  }

  /** Marks the call as made in the transaction of the operation, if this is its only database. */
  private async run(
    { handler, transaction = false, retryOnConflict = false }: DeferredOperation,
    row: Claimed,
    call: Call,
  ): Promise<Outcome> {
    if (!transaction) {
      await handler(call);
      return { state: 'sent' };
    }
    return inTransaction<Outcome>(
      call,
      async (inner) => {
        await handler(inner);
        const shared = inner.transaction;
        // Several databases are not committed together: the call is marked when all of them are.
        if (!(shared instanceof SharedTransaction) || !this.store.isAlone(shared.parts))
          return { state: 'sent' };
        if (await this.store.called(inner, row)) return { state: 'marked' };
        throw new ServiceError(503, 'Service unavailable', { log: { reason: 'its lease has ended' } });
      },
      { retryOnConflict },
    );
  }

  /** The caller as of now; an outcome if there is none. */
  private async callerOf(
    { caller, given }: CallHead,
    limited: Claimed,
  ): Promise<{ readonly caller: JsonObject | null } | NotSent> {
    if (caller === null) return { caller };
    const name = caller['authentication'];
    const authentication = this.authentications.find((one) => one.name === name);
    if (authentication === undefined) return again(limited, `there is no authentication '${textOf(name)}'`);
    if (given === undefined) return { caller };
    const call: AskedAgain[1] = { deadline: performance.now() + this.timeout, decided: () => undefined };
    const found = await authentication.findAgain?.(given, call);
    if (found === undefined)
      return again(limited, `the authentication '${authentication.name}' has no operation`);
    if (found instanceof RefusedCredentials) return refused(`its caller was refused: ${found.refusal}`);
    const current = { ...found, authentication: authentication.name };
    noteGiven(current, given);
    return { caller: current };
  }
}

/** The call of the operation: it has no request. */
function deferredCall(timeout: number, caller: JsonObject | null, passed: PassedValues): Call {
  return referenceCall({ ...timedCall(timeout), caller }, passed);
}

/** Milliseconds until the call expires. The table has the longest time for all rows. */
function timeLeftOf({ timeLeft }: Claimed, { within }: CallHead): number {
  return within === undefined ? timeLeft : timeLeft - lifetime + within * 1000;
}

/** The outcome after the last of `times` attempts is a failure. */
function withTimes(outcome: NotSent, { attempts }: Claimed, { times }: CallHead): NotSent {
  return times !== undefined && attempts >= times ? refused(outcome.reason) : outcome;
}

/** The message of an exception is not logged, because it may contain data. */
function failureOf(error: unknown): {
  readonly status: number;
  readonly reason: string;
  readonly log: object;
} {
  if (isFailure(error)) {
    const { status } = error;
    return { status, reason: `status ${status}`, log: { status } };
  }
  const log = describeFailure(error);
  return { status: log.status, reason: `status ${log.status}`, log };
}
