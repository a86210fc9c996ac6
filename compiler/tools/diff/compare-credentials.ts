/** Credentials that a service accepts, as sent by clients, and the consequences of changes to them. */
import { finderOf } from '../../analyze/operations/authentications/accepted.js';
import {
  checkedIdentifier,
  type Authentication,
  type AuthenticationOf,
  type Config,
} from '../../read/config/config-model.js';
import type { ScalarText } from '../../read/source.js';
import { compareLimits } from './compare-limits.js';
import { breaking, fine, type ShapeChange } from './compare-shapes.js';

/** The client-visible parts of an authentication. Other fields, such as `operation`, are internal to the service. */
interface Credentials {
  /** The location in a request: `a key in the header 'x-api-key'`. */
  readonly place: string;
  /** Requirements for tokens, by name. */
  readonly demands: ReadonlyMap<string, string | undefined>;
  /** Signature algorithms of tokens; empty if all algorithms of the keys are accepted. */
  readonly algorithms: readonly string[];
  /** Secrets shared by client and service, by name. Never printed. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Names of keys in the configuration. */
  readonly keys: readonly string[];
  /** Webhook secrets, any of which is accepted. Never printed. */
  readonly anyOf: readonly string[];
  /** The kind of credentials that an operation finds: accounts or keys. */
  readonly what: 'accounts' | 'keys';
  /** Whether an operation of the service looks up callers by key or user. */
  readonly isLookedUp: boolean;
  /** Whether an operation of the service finds the caller of a token, which is then only one of its conditions. */
  readonly isDecided: boolean;
  /** Whether tokens need an end. */
  readonly needsEnd: boolean;
  /** The seconds for which issued tokens are valid, by the name of the lifetime. */
  readonly lifetimes: ReadonlyMap<string, number>;
  /** The claims of issued tokens. */
  readonly claims: readonly string[];
}

/** Names of equivalent authentications: from the old configuration to the new one. */
export type SameCredentials = ReadonlyMap<string, string>;

/** Names are not part of the contract: an authentication that was only renamed is equivalent. */
export function sameCredentials(before: Config, after: Config): SameCredentials {
  const free = new Set(after.authentications);
  const take = (found: Authentication | undefined): string | undefined => {
    if (found !== undefined) free.delete(found);
    return found?.name.value;
  };
  const named = before.authentications.map(({ name }) =>
    take([...free].find((one) => one.name.value === name.value)),
  );
  return new Map(
    before.authentications.flatMap((authentication, index): [string, string][] => {
      const alike = (one: Authentication): boolean => fingerprint(one) === fingerprint(authentication);
      const now = named[index] ?? take([...free].find(alike));
      return now === undefined ? [] : [[authentication.name.value, now]];
    }),
  );
}

function fingerprint(authentication: Authentication): string {
  const seen = Object.values(credentialsOf(authentication));
  return JSON.stringify([
    finderOf(authentication)?.value,
    ...seen.map((value: unknown) => (value instanceof Map ? [...value] : value)),
  ]);
}

/** Changes of authentications that exist in both configurations. */
export function compareCredentials(before: Config, after: Config, same: SameCredentials): ShapeChange[] {
  return before.authentications.flatMap((old) => {
    const name = old.name.value;
    const now = after.authentications.find((one) => one.name.value === same.get(name));
    if (now === undefined) return [];
    return [...compare(credentialsOf(old), credentialsOf(now)), ...compareLimits(old.limits, now.limits)].map(
      ({ isBreaking, text }) => ({
        isBreaking,
        text: `credentials of ${name}: ${text}`,
      }),
    );
  });
}

function compare(before: Credentials, after: Credentials): ShapeChange[] {
  // Credentials at different locations are not comparable any further.
  if (before.place !== after.place)
    return [breaking(`they are ${after.place} now; they were ${before.place}`)];
  return [
    ...[...before.demands].flatMap(([words, was]) => compareDemand(words, was, after.demands.get(words))),
    ...compareAlgorithms(before.algorithms, after.algorithms),
    ...[...before.secrets].flatMap(([words, was]) => {
      const now = after.secrets.get(words);
      return now === undefined || isSameUnlessUnknown(was, now) ? [] : [breaking(`${words} has changed`)];
    }),
    ...before.keys
      .filter((key) => !after.keys.includes(key))
      .map((key) => breaking(`the key '${key}' is not accepted now`)),
    ...after.keys
      .filter((key) => !before.keys.includes(key))
      .map((key) => fine(`the key '${key}' is accepted now`)),
    ...compareAnyOf(before.anyOf, after.anyOf),
    ...(before.isLookedUp === after.isLookedUp
      ? []
      : [
          after.isLookedUp
            ? fine(`an operation finds further ${after.what} now`)
            : breaking(`${after.what} that an operation found are not accepted now`),
        ]),
    ...compareTokens(before, after),
  ];
}

function compareTokens(before: Credentials, after: Credentials): ShapeChange[] {
  return [
    ...(before.isDecided === after.isDecided
      ? []
      : [
          after.isDecided
            ? breaking('an operation can refuse tokens now')
            : fine('no operation refuses tokens now'),
        ]),
    ...(before.needsEnd === after.needsEnd
      ? []
      : [after.needsEnd ? breaking('tokens must have an end now') : fine('tokens may have no end now')]),
    ...[...before.lifetimes].flatMap(([name, was]) => {
      const now = after.lifetimes.get(name);
      if (now === undefined || now === was) return [];
      const text = `issued tokens${name === '' ? '' : ` of the lifetime '${name}'`} are valid for ${now} s now; it was ${was} s`;
      return [now < was ? breaking(text) : fine(text)];
    }),
    ...before.claims
      .filter((claim) => !after.claims.includes(claim))
      .map((claim) => breaking(`issued tokens have no claim '${claim}' now`)),
  ];
}

function compareDemand(words: string, was: string | undefined, now: string | undefined): ShapeChange[] {
  if (was === now) return [];
  if (now === undefined) return [fine(`tokens may have any ${words} now`)];
  if (was === undefined) return [breaking(`tokens must have the ${words} ${now} now`)];
  return isSameUnlessUnknown(was, now)
    ? []
    : [breaking(`tokens must have the ${words} ${now} now; it was ${was}`)];
}

function compareAlgorithms(before: readonly string[], after: readonly string[]): ShapeChange[] {
  const listed = (algorithms: readonly string[]): string => algorithms.join(', ');
  if (after.length === 0)
    return before.length === 0 ? [] : [fine('tokens may be signed by any algorithm of the keys now')];
  if (before.length === 0) return [breaking(`tokens must be signed by ${listed(after)} now`)];
  const gone = before.filter((algorithm) => !after.includes(algorithm));
  const added = after.filter((algorithm) => !before.includes(algorithm));
  return [
    ...(gone.length === 0 ? [] : [breaking(`tokens signed by ${listed(gone)} are not accepted now`)]),
    ...(added.length === 0 ? [] : [fine(`tokens signed by ${listed(added)} are accepted now`)]),
  ];
}

/** The values of variables are unknown, so only a changed number of them counts as a change. */
function compareAnyOf(before: readonly string[], after: readonly string[]): ShapeChange[] {
  const gone = before.filter((secret) => !after.includes(secret));
  const added = after.filter((secret) => !before.includes(secret));
  const replaced = Math.min(gone.filter(isUnknown).length, added.filter(isUnknown).length);
  return [
    ...(gone.length > replaced ? [breaking('a secret of signatures is not accepted now')] : []),
    ...(added.length > replaced ? [fine('another secret of signatures is accepted now')] : []),
  ];
}

function isSameUnlessUnknown(was: string, now: string): boolean {
  return was === now || isUnknown(was) || isUnknown(now);
}

/** References such as `${NAME}` are resolved when the service starts. */
function isUnknown(value: string): boolean {
  return value.includes('${');
}

function credentialsOf(authentication: Authentication): Credentials {
  const none: Omit<Credentials, 'place'> = {
    ...{ demands: new Map(), algorithms: [], secrets: new Map(), keys: [], anyOf: [], isLookedUp: false },
    ...{ what: 'keys', isDecided: false, needsEnd: false, lifetimes: new Map(), claims: [] },
  };
  switch (authentication.type) {
    case 'basicauth': {
      const { user, password, passwordHash, operation } = authentication;
      return {
        ...none,
        what: 'accounts',
        isLookedUp: operation !== undefined,
        place: 'a user and a password of HTTP Basic',
        secrets: secretsOf([
          ['the user', user],
          ['the password', password],
          ['the password', passwordHash],
        ]),
      };
    }
    case 'jwt': {
      const { issuer, audience, jwks, key, algorithms, scopesClaim, scheme, cookie } = authentication;
      const { expiry, operation, issue } = authentication;
      return {
        ...none,
        place:
          cookie === undefined
            ? `a token after the word '${scheme?.value ?? 'Bearer'}' in the header 'Authorization'`
            : `a token in the cookie '${cookie.value}'`,
        demands: new Map([
          ['issuer', checkedIdentifier(issuer)?.value],
          ['audience', checkedIdentifier(audience)?.value],
          ['claim for scopes', scopesClaim?.value],
        ]),
        algorithms: algorithms.map(({ value }) => value),
        secrets: secretsOf([
          ['the address of the keys of tokens', jwks],
          ['the key of tokens', key],
        ]),
        isDecided: operation !== undefined,
        needsEnd: expiry === undefined,
        lifetimes: new Map((issue?.lifetimes ?? []).map(({ name = '', seconds }) => [name, seconds])),
        claims: issue?.claims.map(({ value }) => value) ?? [],
      };
    }
    case 'apikey': {
      const { keys } = authentication;
      return {
        ...none,
        place: placeOfKey(authentication),
        secrets: secretsOf(keys.map(({ name, value }) => [`the key '${name.value}'`, value])),
        keys: keys.map(({ name }) => name.value),
        isLookedUp: authentication.operation !== undefined,
      };
    }
    case 'signature': {
      const { scheme, secrets } = authentication;
      const place = `a signature by the scheme ${scheme?.value ?? ''}`;
      return { ...none, place, anyOf: secrets.map(({ value }) => value) };
    }
    case 'custom':
      return { ...none, place: 'what src/middleware.ts checks' };
    case undefined:
      return { ...none, place: 'credentials of an unknown type' };
  }
}

function secretsOf(
  written: readonly (readonly [string, ScalarText | undefined])[],
): ReadonlyMap<string, string> {
  return new Map(
    written.flatMap(([words, text]): [string, string][] => (text === undefined ? [] : [[words, text.value]])),
  );
}

function placeOfKey({ cookie, query, header, scheme, prefix }: AuthenticationOf<'apikey'>): string {
  if (scheme !== undefined)
    return `a key${prefix === undefined ? '' : ` that begins with '${prefix.value}'`} after the word '${scheme.value}' in the header 'Authorization'`;
  if (cookie !== undefined) return `a key in the cookie '${cookie.value}'`;
  return query === undefined
    ? `a key in the header '${header?.value.toLowerCase() ?? ''}'`
    : `a key in the query parameter '${query.value}'`;
}
