/** Why the credentials of a request are refused, as fixed words for the log and the metrics. A response never contains them. */
import { ServiceError, type HeaderLines, type ServiceErrorDetails } from '../handler/reply.js';

/**
 * In the order of the checks. If several authentications refuse the same credentials, the one that got furthest in this list gives the
 * reason: a token that one issuer's authentication finds expired was signed by that issuer. The words are documented for users:
 * docs/reference/credentials.md.
 */
export const refusals = [
  'missing',
  'not-accepted',
  'repeated',
  'malformed',
  'too-long',
  'token-header',
  'algorithm',
  'unknown-key',
  'unknown-account',
  'unknown-api-key',
  'wrong-password',
  'signature',
  'issuer',
  'audience',
  'claims',
  'not-yet-valid',
  'expired',
  'too-old',
  'unknown-caller',
  'denied',
  'scope',
  'origin',
  'busy',
  'keys-unavailable',
] as const;

export type Refusal = (typeof refusals)[number];

/** The reason of the check that is later in the list. */
export function furthest(a: Refusal, b: Refusal): Refusal {
  return refusals.indexOf(a) < refusals.indexOf(b) ? b : a;
}

/** A refusal with status 401. */
export class RefusedCredentials {
  /** `header`: headers of the exception of the operation that finds the caller, for example to clear a cookie. */
  constructor(
    readonly refusal: Refusal,
    readonly header?: HeaderLines | undefined,
  ) {}
}

/** Ends a request whose credentials are refused, or cannot be checked, for another status than 401. */
export class CredentialsError extends ServiceError {
  constructor(
    status: 403 | 503,
    message: string,
    readonly refusal: Refusal,
    details: ServiceErrorDetails = {},
  ) {
    super(status, message, { ...details, log: { reason: refusal } });
  }
}
