/** An authentication whose credentials `src/middleware.ts` checks. */
import type { Authentication } from '../authentication/authentication.js';
import type { JsonObject } from '../handler/json.js';
import type { AccessRequest } from '../http/route.js';
import { callerOf } from './set-caller.js';

/** Creates the authentication of that name. */
export function custom(name: string): Authentication {
  return {
    name,
    place: 'src/middleware.ts',
    challenge: 'Custom realm="service"',
    isPrivate: true,
    needsMiddleware: true,
    readSettings: () => undefined,
    isTried: ({ request }: AccessRequest) => callerOf(request) !== undefined,
    identify: ({ request }: AccessRequest): JsonObject | undefined => callerOf(request),
  };
}
