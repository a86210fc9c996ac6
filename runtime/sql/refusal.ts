/** Statements of the service's own tables that a database refuses. */
import { ServiceError } from '../handler/reply.js';

/** Whether the database refused the statement, rather than being unavailable or slow. */
export function isRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status !== 503 && error.status !== 504;
}
