/** Whether a statement failed because of a certain constraint, for exceptions with `constraint`. */
import { ServiceError } from '../handler/reply.js';

/**
 * Whether the error of a statement is the violation of the unique, foreign-key, check or exclusion constraint: `if (violates(error,
 * 'link_slug_key')) throw fail(400, …)`.
 */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof ServiceError && error.details.violated?.includes(constraint) === true;
}
