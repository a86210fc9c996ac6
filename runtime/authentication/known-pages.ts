/** The pages that may call an open operation with cookies, such as a log-in, which has no credentials to check. */
import { cookiesOf } from '../http/request-target.js';
import type { Access, AccessRequest, Admission } from '../http/route.js';
import type { Environment, SettingsReader } from '../server/environment.js';
import { SendingPages } from './sending-pages.js';

/**
 * Refuses pages of unknown origins, with any method, and requests that have one of these cookies and do not say which page sent them.
 * `access` then decides who may call the operation; without it, everybody may.
 */
export function knownPages(cookies: readonly string[], access?: Access): Access & SettingsReader {
  return new KnownPages(cookies, access);
}

class KnownPages implements Access, SettingsReader {
  readonly #pages = new SendingPages();

  constructor(
    private readonly cookies: readonly string[],
    private readonly access: Access | undefined,
  ) {}

  readSettings(environment: Environment): void {
    this.#pages.readSettings(environment);
  }

  async admit(request: AccessRequest): Promise<Admission> {
    const { cookie } = request.request.headers;
    const hasCookie = this.cookies.some((name) => cookiesOf(cookie, name).length > 0);
    this.#pages.refuseUnknown(request, hasCookie);
    if (this.access !== undefined) return this.access.admit(request);
    return { caller: null };
  }
}
