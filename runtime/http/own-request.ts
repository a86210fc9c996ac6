/** The requests that code of the service's owner gets, with what the service knows of them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../server/log.js';
import type { BodyLimits } from './route.js';

/** One request of `src/app.ts` or `src/middleware.ts`. */
export interface OwnRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly log: Log;
  readonly limits: Pick<BodyLimits, 'bodyLimit'>;
  /** A client with `Expect: 100-continue` then sends its body. */
  readonly accept: () => void;
  /** The end of its time limit, in milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** What ends the request where its code throws this error: another one, if the runtime has made the error for the code. */
  endOf?: (error: unknown) => unknown;
}

const offered = new WeakMap<IncomingMessage, OwnRequest>();

/** Lets code of the owner ask for what the service knows of its request. */
export function offerRequest(request: OwnRequest): void {
  offered.set(request.request, request);
}

/** Undefined for a request that the service has not offered. */
export function offeredRequest(request: IncomingMessage): OwnRequest | undefined {
  return offered.get(request);
}
