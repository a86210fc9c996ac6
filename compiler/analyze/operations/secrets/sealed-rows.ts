/** Which rows of an outbox are stored encrypted: those with results of RANDOM, HASH and TOKEN (docs/design/outbox.md#out-3.5). */
import type { Config, DeferredFulfillment, Operation, Request } from '../../../read/config/config-model.js';
import {
  allFulfillments,
  deliveredRequests,
  expressionsOfMessage,
  messagesOf,
} from '../../../read/config/walk.js';
import type { MadeSecrets } from './made-secrets.js';
import { passedSecrets } from './passed-secrets.js';

export class SealedRows {
  readonly #secrets: MadeSecrets;

  constructor(private readonly operations: readonly Operation[]) {
    this.#secrets = passedSecrets(operations);
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
}

/** Whether the service stores encrypted rows, and needs OUTBOX_KEY. */
export function sealsRows({ operations }: Pick<Config, 'operations'>): boolean {
  return new SealedRows(operations).areAny;
}
