/** Runs the requests of an operation once for each idempotency key, and repeats the first response. */
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import { ServiceError, type Reply } from '../handler/reply.js';
import { HttpCall } from '../http/http-call.js';
import { clientNetwork } from '../limits/limit-key.js';
import { inTransaction, type TransactionOptions } from '../transactions/transaction.js';
import type { KeyStore, ClaimedKey } from './key-store.js';
import { digestOf, requestDigest, type ReadNames } from './request-digest.js';
import { storedReply, storedText } from './stored-reply.js';

/** The idempotency keys of an operation. */
export interface KeyDefinition extends ReadNames {
  readonly store: KeyStore;
  /** Reads the key of a request. */
  readonly key: (call: Call) => Json;
  /** Whether requests without a key are refused. */
  readonly required?: true;
  /** Seconds for which a key is kept. */
  readonly keep: number;
  /** Whether all callers share their keys, because they have the same credentials. */
  readonly isShared?: true;
}

/** Derived from a method, so that TypeScript accepts steps with typed requests. */
type Steps = { run(call: Call): Promise<Reply> }['run'];

/** Declares the idempotency keys of an operation. */
export function idempotencyKeys(operation: string, definition: KeyDefinition): IdempotencyKeys {
  return new IdempotencyKeys(operation, definition);
}

/** Maximum characters of a key. */
const maxLength = 255;
/** Seconds after which a client may repeat a request that is in progress. */
const retryAfter = 1;

/** Claims of callers that differ between the tokens of one caller. */
const ofToken: ReadonlySet<string> = new Set(['iat', 'nbf', 'exp', 'jti']);

export class IdempotencyKeys {
  constructor(
    private readonly operation: string,
    private readonly definition: KeyDefinition,
  ) {}

  /**
   * Like `inTransaction`, and stores the response in the same transaction. A repetition gets the stored response; the steps do not run.
   * Calls by other operations and user code have no key. Throws a ServiceError also for a key that is missing or malformed (400), is used
   * by a request in progress (409), or was used for another request (422).
   */
  async once(call: Call, run: Steps, options?: TransactionOptions): Promise<Reply> {
    if (!(call instanceof HttpCall)) return inTransaction(call, run, options);
    const { store, required = false } = this.definition;
    const written = keyText(this.definition.key(call));
    if (written === null) {
      if (required) throw new ServiceError(400, 'The idempotency key is missing');
      return inTransaction(call, run, options);
    }
    const key = this.keyOf(call, written);
    await store.prepared();
    try {
      return await inTransaction(call, (inner) => this.first(inner, key, run), options);
    } catch (error) {
      if (error instanceof Repeated) return storedReply(error.response);
      throw error;
    } finally {
      store.cleanNowAndThen();
    }
  }

  /** Runs the steps unless they have run before. Throws a Repeated, so that the transaction is rolled back. */
  private async first(call: Call, key: ClaimedKey, run: Steps): Promise<Reply> {
    const { store } = this.definition;
    const stored = await store.claim(call, key);
    if (stored === 'busy')
      throw new ServiceError(409, 'A request with this idempotency key is in progress', { retryAfter });
    if (stored === 'unknown')
      throw new ServiceError(500, 'It is unknown whether the change was made', {
        outcome: 'unknown',
        log: { reason: 'a statement of the first request has committed before its response was stored' },
      });
    if (stored !== undefined) {
      if (stored.request === key.request) throw new Repeated(stored.response);
      throw new ServiceError(422, 'The idempotency key was used for another request');
    }
    const response = await storedText(await run(call), call);
    await store.complete(call, key, response);
    return storedReply(response);
  }

  private keyOf(call: HttpCall, written: string): ClaimedKey {
    const { store, keep, isShared = false } = this.definition;
    const owner = isShared ? null : ownerOf(call);
    return {
      id: digestOf(this.operation, owner, [...store.contextOf(call)], written),
      request: requestDigest(call, this.definition),
      keep: keep * 1000,
    };
  }
}

/** Ends the transaction of a repetition. */
class Repeated extends Error {
  constructor(readonly response: string) {
    super();
  }
}

/** The key as a string; null if it is missing. Throws a ServiceError 400. */
function keyText(key: Json): string | null {
  if (key === null) return null;
  const text = typeof key === 'object' ? '' : String(key);
  if (text !== '' && text.length <= maxLength) return text;
  throw new ServiceError(400, `The idempotency key must have 1 to ${maxLength} characters`);
}

/** Whom the keys belong to: the caller, or the network of the client. */
function ownerOf(call: HttpCall): Json {
  const { caller } = call;
  if (caller === null) return ['network', clientNetwork(call).text];
  const { authentication = null, iss = null, sub = null } = caller;
  if (sub !== null) return ['sub', authentication, iss, sub];
  return ['caller', Object.fromEntries(Object.entries(caller).filter(([name]) => !ofToken.has(name)))];
}
