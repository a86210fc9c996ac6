/** The limits of the whole service: those that count all of its requests, and the stores that must exist when it starts. */
import type { RequestLimits } from '../http/route.js';
import type { ServiceLimits } from '../server/contracts.js';

/** `all` counts the requests of all operations together. */
export function serviceLimits({
  all,
  stores = [],
}: {
  readonly all?: RequestLimits;
  readonly stores?: readonly Pick<ServiceLimits, 'open'>[];
}): ServiceLimits {
  return {
    all,
    async open(log) {
      for (const store of stores) await store.open(log);
    },
  };
}
