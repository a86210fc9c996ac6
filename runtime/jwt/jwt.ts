/** Tokens (JWT) of an issuer, verified with keys from a setting. */
import { decodeProtectedHeader, jwtVerify, type JWTVerifyOptions } from 'jose';
import type { Authentication } from '../authentication/authentication.js';
import { scopesIn } from '../authentication/authentication.js';
import { authorizationPlace, cookiePlace, type CredentialPlace } from '../authentication/places.js';
import type { Json, JsonObject } from '../handler/json.js';
import { parseJson } from '../handler/parse-json.js';
import type { AccessRequest } from '../http/route.js';
import { readCheckedSetting } from '../server/checked-setting.js';
import type { Environment } from '../server/environment.js';
import type { KeySource, TokenKeys } from './token-keys.js';

export interface JwtOptions {
  /** The word before the token in the header `Authorization`, in place of `Bearer`. */
  readonly scheme?: string;
  /** The cookie that has the token, in place of the header. */
  readonly cookie?: string;
  /** Accepted algorithms. They can only narrow those of the keys. */
  readonly algorithms?: readonly string[];
  /** The claim with the scopes, in place of `scope` and `scp`. */
  readonly scopesClaim?: string;
}

/** Characters of a token. */
const longest = 8 * 1024;
/** Seconds that clocks may differ. */
const tolerance = 30;
/** Keys, addresses of keys and extensions in the header of a token: whoever makes a token must not choose how it is verified. */
const refusedHeaders = ['crit', 'jku', 'jwk', 'x5c', 'x5u'];

/** Accepts no token before its settings have been read. */
export class Jwt implements Authentication {
  readonly challenge: string;
  readonly hasErrors = true;
  readonly isPrivate = true;
  readonly #place: CredentialPlace;
  #rules: JWTVerifyOptions = {};
  #keys: TokenKeys | undefined;

  constructor(
    readonly name: string,
    private readonly source: KeySource,
    private readonly options: JwtOptions,
  ) {
    const { scheme = 'Bearer', cookie } = options;
    this.challenge = `${scheme} realm="service"`;
    this.#place = cookie === undefined ? authorizationPlace(scheme) : cookiePlace(cookie);
  }

  get place(): string {
    return this.#place.name;
  }

  readSettings(environment: Environment): void {
    this.#place.readSettings?.(environment);
    const issuer = this.setting('issuer', environment);
    const audience = this.setting('audience', environment);
    const { name, source } = this;
    const written = readCheckedSetting(environment, ['authentication', name], source.field, source);
    if (issuer === undefined || audience === undefined || written === undefined) return;
    this.#keys = source.keysOf(written, name);
    const algorithms = this.algorithms(this.#keys.algorithms, environment);
    this.#rules = { issuer, audience, algorithms, clockTolerance: tolerance, requiredClaims: ['exp'] };
  }

  isTried(request: AccessRequest): boolean {
    return this.#place.isTried(request);
  }

  /** The claims of the token. Throws a ServiceError 503 without any keys. */
  async identify(request: AccessRequest): Promise<JsonObject | undefined> {
    const token = this.#place.read(request);
    if (token === undefined || token === '' || token.length > longest || this.#keys === undefined)
      return undefined;
    if (hasRefusedHeader(token)) return undefined;
    const rules = this.#rules;
    if (!(await this.#keys.accept((key) => jwtVerify(token, key, rules), request.log))) return undefined;
    const claims = claimsOf(token);
    return isSubject(claims['sub']) ? claims : undefined;
  }

  scopesOf(caller: JsonObject): ReadonlySet<string> {
    const { scopesClaim } = this.options;
    return scopesClaim === undefined
      ? scopesIn(caller['scope'], caller['scp'])
      : scopesIn(Object.hasOwn(caller, scopesClaim) ? caller[scopesClaim] : undefined);
  }

  private setting(field: string, environment: Environment): string | undefined {
    return readCheckedSetting(environment, ['authentication', this.name], field, {
      isSecret: false,
      problemOf: (value) => (value.trim() === '' ? 'is empty' : undefined),
    });
  }

  private algorithms(ofKeys: readonly string[], environment: Environment): string[] {
    const { algorithms: wanted = ofKeys } = this.options;
    const both = ofKeys.filter((algorithm) => wanted.includes(algorithm));
    if (both.length === 0)
      environment.problems.push(
        `The key of the authentication ${this.name} is for ${ofKeys.join(', ')}, and its algorithms are ${wanted.join(', ')}`,
      );
    return both;
  }
}

/**
 * A name (RFC 7519), or a number, as some issuers write it. A database could match another value with an existing user: MariaDB reads `{}`
 * as 0.
 */
function isSubject(sub: Json | undefined): boolean {
  return sub === undefined || sub === null || typeof sub === 'string' || typeof sub === 'number';
}

function hasRefusedHeader(token: string): boolean {
  try {
    const header = decodeProtectedHeader(token);
    return refusedHeaders.some((field) => field in header);
  } catch {
    return true;
  }
}

/** The claims of a verified token, with all digits of their numbers. Verification has ensured that they are an object. */
function claimsOf(token: string): JsonObject {
  return parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as JsonObject;
}
