/** Whether a request to a third party is signed with a secret, as the third party would check it. */
import { createHmac } from 'node:crypto';
import { schemes } from '../../../runtime/signature/schemes.js';
import type { StubRequest } from '../local/stub-server.js';

/** Undefined if it is, by the scheme whose headers it has; else why it is not. The time of the signature is not compared. */
export function whyNotSigned({ headers, body }: StubRequest, secret: string): string | undefined {
  const scheme = Object.values(schemes).find(({ header }) => headers[header] !== undefined);
  if (scheme === undefined) return 'expected a signature, but there is none';
  const key = scheme.keyOf(secret);
  if (key === undefined) return `this is not a secret of the scheme with the header ${scheme.header}`;
  const signed = scheme.read(headers);
  const digest = createHmac('sha256', key)
    .update(signed?.prefix ?? '')
    .update(body)
    .digest();
  return signed?.signatures.some((one) => one.equals(digest)) === true
    ? undefined
    : `expected a signature with this secret, but that in ${scheme.header} is of another one`;
}
