/** Which pages may send credentials that browsers add by themselves, in requests that may change something. */
import { isSafe, originsIn, senderOf } from '../http/page-origin.js';
import type { AccessRequest } from '../http/route.js';
import type { Environment, SettingsReader } from '../server/environment.js';
import { CredentialsError } from './refusal.js';

export class SendingPages implements SettingsReader {
  #origins: ReadonlySet<string> = new Set();

  readSettings(environment: Environment): void {
    this.#origins = new Set(originsIn(environment.text('CORS_ORIGIN')));
  }

  /** Checks credentials that programs also send. Throws a ServiceError 403 for a page of an unknown origin. */
  refuseOthers({ request: { method, headers } }: AccessRequest): void {
    if (!isSafe(method) && senderOf(headers, this.#origins) === 'other')
      throw new CredentialsError(
        403,
        'With these credentials, this method is only for pages of known origins',
        'origin',
      );
  }

  /**
   * Checks requests to an operation that sets or reads cookies itself, with any method. `needsPage`: a request without headers of a page is
   * refused, too. Throws a ServiceError 403 for a page of an unknown origin.
   */
  refuseUnknown({ request: { headers }, decided }: AccessRequest, needsPage: boolean): void {
    const sender = senderOf(headers, this.#origins);
    const isUnknown = sender === 'none' && needsPage && headers['sec-fetch-site'] === undefined;
    if (sender !== 'other' && !isUnknown) return;
    decided('origin');
    throw new CredentialsError(403, 'This operation is only for pages of known origins', 'origin');
  }

  /** Checks cookies, which only browsers store. Throws a ServiceError 403 unless the request comes from a page of a known origin. */
  requireKnown({ request: { method, headers } }: AccessRequest): void {
    if (!isSafe(method) && senderOf(headers, this.#origins) !== 'known')
      throw new CredentialsError(
        403,
        'With a cookie, this method is only for pages of known origins',
        'origin',
      );
  }
}
