/** Finds authentications that would accept each other's tokens, although they check them differently. */
import type { Handler } from '../http/route.js';

/** How an authentication checks tokens. */
export interface TokenChecks {
  readonly name: string;
  /** Null if tokens of any issuer are accepted. */
  readonly issuer: string | null;
  readonly audience: string | null;
  /** Identifiers of its keys. */
  readonly keys: readonly string[];
  readonly operation: Handler | undefined;
}

/** The problems of an authentication with others, which stop the start. Each pair is reported once. */
export function problemsOfCommonTokens(own: TokenChecks, later: readonly TokenChecks[]): string[] {
  return later
    .filter((other) => haveCommonTokens(own, other) && !areSame(own, other))
    .map(
      ({ name }) =>
        `The authentications ${own.name} and ${name} have a key in common and accept each other's tokens: give them different keys or audiences`,
    );
}

function haveCommonTokens(a: TokenChecks, b: TokenChecks): boolean {
  return (
    a.keys.some((key) => b.keys.includes(key)) &&
    isSameUnlessAny(a.issuer, b.issuer) &&
    isSameUnlessAny(a.audience, b.audience)
  );
}

function isSameUnlessAny(a: string | null, b: string | null): boolean {
  return a === null || b === null || a === b;
}

/** Whether only the place of the token differs, such as a header and a cookie. */
function areSame(a: TokenChecks, b: TokenChecks): boolean {
  return a.issuer === b.issuer && a.audience === b.audience && a.operation === b.operation;
}
