/** Authenticates with tokens (JWT) of an issuer, verified with keys from a setting. */
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
  /** The scheme before the token in the `Authorization` header, instead of `Bearer`. */
  readonly scheme?: string;
  /** The cookie that contains the token, instead of the header. */
  readonly cookie?: string;
  /** Accepted algorithms, which can only narrow those of the keys. */
  readonly algorithms?: readonly string[];
  /** The claim with the scopes, instead of `scope` and `scp`. */
  readonly scopesClaim?: string;
}

/** Maximum characters of a token. */
const longest = 8 * 1024;
/** Tolerated clock difference in seconds. */
const tolerance = 30;
/**
 * Keys, key URLs and extensions in the header of a token are rejected, because the sender of a token must not choose how it is
 * verified.
 */
const refusedHeaders = ['crit', 'jku', 'jwk', 'x5c', 'x5u'];

/** Rejects all tokens until its settings have been read. */
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

  /** The claims of the token. Throws a ServiceError 503 if no keys are available. */
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
 * Whether the subject is a string (RFC 7519), or a number, as sent by some issuers. Other values could match an existing user in a
 * database: MariaDB reads `{}` as 0.
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

/** The claims of a verified token, with all digits of numbers. The verification ensures that they are an object. */
function claimsOf(token: string): JsonObject {
  return parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as JsonObject;
}
