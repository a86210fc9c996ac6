/** The error for a value of a request that does not fit a list. */
import { ServiceError } from '../handler/reply.js';
import { refusedValue } from '../sql/failure.js';

/** A ServiceError 400. `what` describes the value if its location in the request (`query.sort`) is not known. */
export function invalidValue(source: string | undefined, what: string, expected: string): ServiceError {
  if (source === undefined) return new ServiceError(400, `The ${what} does not fit: expected ${expected}`);
  const { message, fault } = refusedValue({ kind: 'bad-value', value: { index: 0, expected } }, source);
  return new ServiceError(400, message, { faults: [fault] });
}
