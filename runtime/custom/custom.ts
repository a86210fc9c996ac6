/** An authentication whose credentials are checked by `src/middleware.ts`. */
import type { Authentication, Identity } from '../authentication/authentication.js';
import { SendingPages } from '../authentication/sending-pages.js';
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
    // Whatever the middleware reads may be a cookie, or credentials that a browser remembers.
    identify(access: AccessRequest): Identity {
      pages.refuseOthers(access);
      return callerOf(access.request) ?? 'missing';
    },
  };
}
