/** Errors of a transaction in a form that can be compared. */
import { isFailure, ServiceError } from '../../../runtime/handler/reply.js';

/** The details of an error, without its cause, which has the position of a statement. */
export function describedError(error: unknown): unknown {
  if (error instanceof ServiceError) {
    const { cause, ...details } = error.details;
    return { status: error.status, message: error.message, details, caused: cause instanceof Error };
  }
  return isFailure(error) ? error : String(error);
}
