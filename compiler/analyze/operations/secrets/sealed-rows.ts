/** Which rows of an outbox are stored encrypted: those with results of RANDOM, HASH and TOKEN (docs/design/outbox.md#out-3.5). */
import type { Config, DeferredFulfillment, Operation, Request } from '../../../read/config/config-model.js';
import {
  allFulfillments,
  deliveredRequests,
  expressionsOfMessage,
  messagesOf,
} from '../../../read/config/walk.js';
import { MadeSecrets } from './made-secrets.js';

export class SealedRows {
  readonly #byName: ReadonlyMap<string, Operation>;
  readonly #secrets: MadeSecrets;
  /** The parameters that are being followed. */
  readonly #open = new Set<string>();

  constructor(private readonly operations: readonly Operation[]) {
    this.#byName = new Map(operations.map((operation) => [operation.name.value, operation]));
    this.#secrets = new MadeSecrets(
      (name) => this.#byName.get(name),
      undefined,
      (parameter, operation) => this.#isPassedSecret(parameter, operation),
    );
  }

  /** Whether a parameter of the call has a secret in it. */
  isSealedCall({ parameters }: Pick<DeferredFulfillment, 'parameters'>, operation: Operation): boolean {
    return parameters.some(({ value }) => this.#secrets.isInSchema(value, operation));
  }

  /** Whether the URL, a header, the body or a part of the request has a secret in it. */
  isSealedRequest(
    { url, header, body, multipart }: Pick<Request, 'url' | 'header' | 'body' | 'multipart'>,
    operation: Operation,
  ): boolean {
    const sent = multipart.map(({ value }) => value);
    const parts = [url?.value ?? [], ...header.map(({ value }) => value), sent].flat();
    const values = parts.flatMap((part) => (typeof part === 'string' ? [] : [part]));
    return (
      values.some((value) => this.#secrets.isIn(value, operation)) ||
      this.#secrets.isInSchema(body, operation)
    );
  }

  /** Whether an address, the subject or the text of the mail has a secret in it. */
  isSealedMessage(message: Parameters<typeof expressionsOfMessage>[0], operation: Operation): boolean {
    return expressionsOfMessage(message).some((value) => this.#secrets.isIn(value, operation));
  }

  /** Whether any row is. */
  get areAny(): boolean {
    return this.operations.some((operation) =>
      allFulfillments(operation.fulfillments).some(({ fulfillment }) =>
        fulfillment.type === 'DEFERRED'
          ? this.isSealedCall(fulfillment, operation)
          : deliveredRequests(fulfillment).some((request) => this.isSealedRequest(request, operation)) ||
            messagesOf(fulfillment).some(
              (message) => message.isDelivered && this.isSealedMessage(message, operation),
            ),
      ),
    );
  }

  /** Whether a caller passes a secret under that name. */
  #isPassedSecret(name: string, operation: Operation): boolean {
    const key = JSON.stringify([operation.name.value, name]);
    // An operation that calls itself adds nothing to its own parameters.
    if (this.#open.has(key)) return false;
    this.#open.add(key);
    const isFound = this.operations.some((caller) =>
      allFulfillments(caller.fulfillments).some(
        ({ fulfillment }) =>
          (fulfillment.type === 'REFERENCE' || fulfillment.type === 'DEFERRED') &&
          fulfillment.operationName.value === operation.name.value &&
          fulfillment.parameters.some(
            (parameter) => parameter.name.value === name && this.#secrets.isInSchema(parameter.value, caller),
          ),
      ),
    );
    this.#open.delete(key);
    return isFound;
  }
}

/** Whether the service stores encrypted rows, and needs OUTBOX_KEY. */
export function sealsRows({ operations }: Pick<Config, 'operations'>): boolean {
  return new SealedRows(operations).areAny;
}
