/** All parameters of the query as one value (QUERY without a name), except parameters with credentials. */
import type { Call } from '../handler/call.js';
import type { Json, JsonObject } from '../handler/json.js';

/** Names of parameters that authentications read. Set when the authentications are created. */
const credentials = new Set<string>();

/** Omits the parameter from now on, because it contains a key. */
export function hideParameter(name: string): void {
  credentials.add(name);
}

/**
 * The query of the request that started the call: an object without a prototype, so that a name such as `constructor` is only found if the
 * client sent it. Empty without a request. Throws a ServiceError 400 for invalid brackets.
 */
export function queryMap(call: Call): JsonObject {
  const map = Object.create(null) as Record<string, Json>;
  for (const [name, value] of (call.root ?? call).queries?.() ?? [])
    if (!credentials.has(name)) map[name] = value;
  return map;
}
