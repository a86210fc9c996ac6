/** Limits of an authentication, which count requests by their credentials before these are checked. */
import type { Authentication } from '../authentication/authentication.js';
import type { Call } from '../handler/call.js';
import { addressOf } from '../http/client-address.js';
import { countAll, limitsOf, type LimitDefinition } from './limits.js';

/** The input of these limits: parts of the credentials (`user`, `key`), null if they are malformed, and the address of the client. */
export type Credentials = Pick<Call, 'address' | 'root'> & { param(name: string): string | null };

/** Adds limits to the authentication, and returns it. */
export function withLimits<Limited extends Authentication>(
  authentication: Limited,
  definitions: readonly LimitDefinition<Credentials>[],
): Limited {
  const limits = limitsOf(authentication.name, definitions);
  authentication.count = async (access) => {
    const parts = authentication.partsOf === undefined ? {} : authentication.partsOf(access);
    if (parts === undefined) return;
    const credentials: Credentials = {
      get address() {
        return addressOf(access.request);
      },
      param: (name) => (Object.hasOwn(parts, name) ? (parts[name] ?? null) : null),
    };
    await countAll(
      limits,
      (limit) => limit.valuesOf(credentials),
      () => addressOf(access.request),
      access.counted,
    );
  };
  return authentication;
}
