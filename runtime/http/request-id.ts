/** The name of a request in answers and logs (`X-Request-Id`, decisions 9.3). */
import { randomBytes } from 'node:crypto';

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/;

/** Different for every start of the service, so that a counter behind it is enough. */
const start = randomBytes(9).toString('hex');
let count = 0;

/** The identifier that the request brought when it is 1 to 128 of the characters A–Z, a–z, 0–9, `.`, `_` and `-`; else a new one. */
export function requestId(given: string | string[] | undefined): string {
  if (typeof given === 'string' && wellFormed.test(given)) return given;
  count += 1;
  return `${start}-${count.toString(36)}`;
}
