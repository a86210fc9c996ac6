/** An authentication whose credentials are checked by `src/middleware.ts`. */
import type { Authentication } from '../authentication/authentication.js';
import { SendingPages } from '../authentication/sending-pages.js';
import type { JsonObject } from '../handler/json.js';
import type { AccessRequest } from '../http/route.js';
import { callerOf } from './set-caller.js';

/** Creates the named authentication. */
export function custom(name: string): Authentication {
  const pages = new SendingPages();
  return {
    name,
    place: 'src/middleware.ts',
    challenge: 'Custom realm="service"',
    isPrivate: true,
    needsMiddleware: true,
    readSettings(environment) {
      pages.readSettings(environment);
    },
    isTried: ({ request }: AccessRequest) => callerOf(request) !== undefined,
    // The middleware may use a cookie, or credentials stored by the browser.
    identify(access: AccessRequest): JsonObject | undefined {
      pages.refuseOthers(access);
      return callerOf(access.request);
    },
  };
}
