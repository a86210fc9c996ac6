/** API keys: either named keys from the configuration, or keys looked up by an operation. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { AskedAgain, Authentication, Identity } from '../authentication/authentication.js';
import { findCaller, type CallerFinder } from '../authentication/find-caller.js';
import {
  authorizationPlace,
  cookiePlace,
  headerPlace,
  queryPlace,
  type CredentialPlace,
} from '../authentication/places.js';
import type { RefusedCredentials } from '../authentication/refusal.js';
import type { JsonObject } from '../handler/json.js';
import type { AccessRequest, Handler } from '../http/route.js';
import { readOnlySetting, readRotatedSetting } from '../server/checked-setting.js';
import type { Environment } from '../server/environment.js';
import { upperSnake } from '../server/environment-reference.js';
import { isTokenOf, problemOfKey } from './key-problem.js';

/** The location of the key, and either named keys or an operation. */
export interface ApiKeyOptions {
  readonly header?: string;
  readonly query?: string;
  readonly cookie?: string;
  /** The word before the key in the `Authorization` header. */
  readonly scheme?: string;
  /** The beginning of all keys. */
  readonly prefix?: string;
  /** Names of the keys. Their values are settings: AUTHENTICATION_<NAME>_KEY_<KEY>, and …_2 while a key is replaced. */
  readonly keys?: readonly string[];
  /** An operation that returns the caller for `PARAM(key)`, the hexadecimal SHA-256 of the key. */
  readonly operation?: Handler;
}

/** Creates the named authentication. */
export function apiKey(name: string, options: ApiKeyOptions): Authentication {
  return new ApiKey(name, options);
}

class ApiKey implements Authentication {
  readonly challenge: string;
  readonly hasErrors: boolean;
  readonly isPrivate = true;
  readonly #place: CredentialPlace;
  #keys: readonly { readonly name: string; readonly digest: Buffer }[] = [];

  constructor(
    readonly name: string,
    private readonly options: ApiKeyOptions,
  ) {
    const { scheme } = options;
    this.challenge = `${scheme ?? 'ApiKey'} realm="service"`;
    this.hasErrors = scheme !== undefined;
    this.#place = placeOf(options);
  }

  get place(): string {
    return this.#place.name;
  }

  readSettings(environment: Environment): void {
    this.#place.readSettings?.(environment);
    const { keys = [] } = this.options;
    const settings = new Set(keys.map((key) => upperSnake(`key_${key}`)));
    this.#keys = keys.flatMap((key) => {
      const options = {
        meaning: `the key ${key}`,
        problemOf: (value: string) => problemOfKey(value, this.options),
      };
      // The setting of the key `acme-2` is not a second value of `acme`: its owner would be another caller.
      const read = settings.has(upperSnake(`key_${key}_2`)) ? readOnlySetting : readRotatedSetting;
      const values = read(environment, ['authentication', this.name], `key_${key}`, options);
      return values.map((value) => ({ name: key, digest: digestOf(value) }));
    });
  }

  isTried(request: AccessRequest): boolean {
    return this.#place.isTried(request);
  }

  /**
   * The hexadecimal SHA-256 of the key; null for a repeated key. Throws a ServiceError 403 for a cookie sent by a page of another
   * origin.
   */
  partsOf(request: AccessRequest): { readonly key: string | null } | undefined {
    const key = this.#place.read(request);
    if (key === undefined) return { key: null };
    return this.isKey(key) ? { key: hash('sha256', key) } : undefined;
  }

  identify(request: AccessRequest): Identity | Promise<Identity> {
    const key = this.#place.read(request);
    if (key === undefined) return 'repeated';
    if (!this.isKey(key)) return 'malformed';
    const { operation } = this.options;
    const digest = hash('sha256', key, 'buffer');
    if (operation !== undefined)
      return findCaller(finderOf(operation), { parameters: { key: digest.toString('hex') } }, request);
    // All keys are compared: otherwise the time would reveal which key matched.
    const [found] = this.#keys.filter((known) => timingSafeEqual(digest, known.digest));
    return found === undefined ? 'unknown-api-key' : { sub: found.name };
  }

  findAgain(...asked: AskedAgain): Promise<JsonObject | RefusedCredentials> | undefined {
    const { operation } = this.options;
    return operation && findCaller(finderOf(operation), ...asked);
  }

  /** Without the prefix, and as a token, the credentials are for another authentication. */
  private isKey(key: string): boolean {
    const { prefix = '', scheme } = this.options;
    return key.startsWith(prefix) && !isTokenOf(scheme, key);
  }
}

function finderOf(operation: Handler): CallerFinder {
  return { operation, unknown: 'unknown-api-key', areVerified: true };
}

function placeOf({ header, query, cookie = '', scheme }: ApiKeyOptions): CredentialPlace {
  if (header !== undefined) return headerPlace(header);
  if (scheme !== undefined) return authorizationPlace(scheme);
  return query === undefined ? cookiePlace(cookie) : queryPlace(query);
}

/** Keys are stored as digests. The setting may also be a digest: `sha256:…`. */
function digestOf(value: string): Buffer {
  const [, written] = /^sha256:([0-9a-f]{64})$/i.exec(value) ?? [];
  return written === undefined ? hash('sha256', value, 'buffer') : Buffer.from(written, 'hex');
}
