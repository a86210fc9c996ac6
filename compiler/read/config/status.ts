/** Response statuses. */

/** Whether responses with this status never have a body (RFC 9110). */
export function neverHasBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}
