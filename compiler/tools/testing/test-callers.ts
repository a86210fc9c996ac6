/** The callers of test requests, which the test page of `apikiln dev` offers for logging in. */
import type { Config } from '../../read/config/config-model.js';
import { jsonOfNode } from './actual-values.js';
import { keptValue } from './read/read-values.js';
import type { RequestAction, TestFile } from './read/test-model.js';

export interface TestCaller {
  /** Name of the authentication. */
  readonly authentication: string;
  /** Claims of the token; null for a claim that the token does not have. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Name of the API key, or the key itself if an operation finds the caller. */
  readonly key: string | undefined;
  /** Name of the first test with this caller. */
  readonly test: string;
}

/** Claims that `dev` sets. Tests that set them expect a refusal, or know another issuer. */
const reserved = ['iss', 'aud', 'exp', 'nbf', 'iat'];

/** Each caller once, in the order of the tests, without callers whose credentials are refused. */
export function callersIn(files: readonly TestFile[], { authentications }: Config): TestCaller[] {
  const names = new Set(authentications.map(({ name }) => name.value));
  const found = new Map<string, TestCaller>();
  for (const { name, steps } of files.flatMap(({ tests }) => tests)) {
    for (const { action, response } of steps) {
      if (action.kind !== 'request' || response?.statuscode?.value === 401) continue;
      const { authentication = '' } = action;
      if (!names.has(authentication) || !isConstant(action)) continue;
      const claims = claimsOf(action);
      if (reserved.some((claim) => claim in claims)) continue;
      const { key } = action;
      const identity = JSON.stringify([authentication, claims, key]);
      if (!found.has(identity)) found.set(identity, { authentication, claims, key, test: name.value });
    }
  }
  return [...found.values()];
}

function claimsOf({ claims }: RequestAction): Record<string, unknown> {
  return claims === undefined ? {} : (jsonOfNode(claims, new Map()) as Record<string, unknown>);
}

/** Whether no value comes from the response of an earlier step. */
function isConstant(action: RequestAction): boolean {
  return `${JSON.stringify(claimsOf(action))}${action.key ?? ''}`.search(keptValue) < 0;
}
