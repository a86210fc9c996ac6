/** Errors as problem details (RFC 9457). */
import type { ErrorInfo } from '../handler/reply.js';
import type { ErrorContent } from '../http/exchange.js';

/** `settings.errors: problem` */
export function problem({ status, title, message, code, requestId, faults }: ErrorInfo): ErrorContent {
  return {
    type: 'application/problem+json',
    body: {
      ...{ type: 'about:blank', title, status, detail: message, requestId },
      ...(code === null ? {} : { code }),
      ...(faults.length === 0 ? {} : { errors: faults.map((fault) => ({ ...fault })) }),
    },
  };
}
