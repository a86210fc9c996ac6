/** Which rows of an outbox are stored encrypted: those with results of RANDOM, HASH and TOKEN (docs/design/outbox.md#out-3.5). */
import type { Config, DeferredFulfillment, Operation, Request } from '../../../read/config/config-model.js';
import {
  allFulfillments,
  deliveredRequests,
  expressionsOfMessage,
  leavesOf,
  messagesOf,
} from '../../../read/config/walk.js';
import type { Expression } from '../../../read/expression/ast.js';
import { MadeSecrets, passedParts } from './made-secrets.js';

export class SealedRows {
  readonly #byName: ReadonlyMap<string, Operation>;
  readonly #secrets: MadeSecrets;

  constructor(private readonly operations: readonly Operation[]) {
    this.#byName = new Map(operations.map((operation) => [operation.name.value, operation]));
    this.#secrets = new MadeSecrets((name) => this.#byName.get(name));
  }

  /** Whether a parameter of the call has a secret in it. */
  isSealedCall({ parameters }: Pick<DeferredFulfillment, 'parameters'>, operation: Operation): boolean {
    return parameters
      .flatMap(({ value }) => leavesOf(value))
      .some((value) => this.#isSecret(value, operation));
  }

  /** Whether the URL, a header or the body of the request has a secret in it. */
  isSealedRequest(
    { url, header, body }: Pick<Request, 'url' | 'header' | 'body'>,
    operation: Operation,
  ): boolean {
    const parts = [url?.value ?? [], ...header.map(({ value }) => value)].flat();
    const values = parts.flatMap((part) => (typeof part === 'string' ? [] : [part]));
    return [...values, ...(body === undefined ? [] : leavesOf(body))].some((value) =>
      this.#isSecret(value, operation),
    );
  }

  /** Whether an address, the subject or the text of the mail has a secret in it. */
  isSealedMessage(message: Parameters<typeof expressionsOfMessage>[0], operation: Operation): boolean {
    return expressionsOfMessage(message).some((value) => this.#isSecret(value, operation));
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

  /** `open`: the parameters that are being followed. */
  #isSecret(value: Expression, operation: Operation, open: ReadonlySet<string> = new Set()): boolean {
    if (this.#secrets.isIn(value, operation)) return true;
    if (value.kind === 'param') return this.#isPassedSecret(value.name, operation, open);
    if (value.kind === 'body') return this.#isPassedSecret('body', operation, open);
    return passedParts(value).some((part) => this.#isSecret(part, operation, open));
  }

  /** Whether a caller passes a secret under that name. */
  #isPassedSecret(name: string, operation: Operation, open: ReadonlySet<string>): boolean {
    const key = JSON.stringify([operation.name.value, name]);
    if (open.has(key)) return false;
    const inside = new Set([...open, key]);
    return this.operations.some((caller) =>
      allFulfillments(caller.fulfillments).some(
        ({ fulfillment }) =>
          (fulfillment.type === 'REFERENCE' || fulfillment.type === 'DEFERRED') &&
          fulfillment.operationName.value === operation.name.value &&
          fulfillment.parameters
            .filter((parameter) => parameter.name.value === name)
            .flatMap((parameter) => leavesOf(parameter.value))
            .some((passed) => this.#isSecret(passed, caller, inside)),
      ),
    );
  }
}

/** Whether the service stores encrypted rows, and needs OUTBOX_KEY. */
export function sealsRows({ operations }: Pick<Config, 'operations'>): boolean {
  return new SealedRows(operations).areAny;
}
