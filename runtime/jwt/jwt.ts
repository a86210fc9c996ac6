/** Authenticates with tokens (JWT) of an issuer, verified with keys from a setting. */
import { decodeProtectedHeader, jwtVerify, type JWTVerifyOptions } from 'jose';
import { scopesIn, type Authentication, type Identity } from '../authentication/authentication.js';
import { authorizationPlace, cookiePlace, type CredentialPlace } from '../authentication/places.js';
import { furthest, type Refusal } from '../authentication/refusal.js';
import type { Json, JsonObject } from '../handler/json.js';
import { parseJson } from '../handler/parse-json.js';
import type { AccessRequest } from '../http/route.js';
import { readCheckedSetting, readOnlySetting, readRotatedSetting } from '../server/checked-setting.js';
import type { Environment } from '../server/environment.js';
import type { Log } from '../server/log.js';
import { clockTolerance } from './clock-tolerance.js';
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
/**
 * Keys, key URLs and extensions in the header of a token are rejected, because the sender of a token must not choose how it is
 * verified.
 */
const refusedHeaders = ['crit', 'jku', 'jwk', 'x5c', 'x5u'];

/** Keys, and the rules for tokens that they verify: an algorithm is for the keys of one kind. */
interface Verifier {
  readonly keys: TokenKeys;
  readonly rules: JWTVerifyOptions;
}

/** Accepts no token before its settings have been read. */
export class Jwt implements Authentication {
  readonly challenge: string;
  readonly hasErrors = true;
  readonly isPrivate = true;
  readonly #place: CredentialPlace;
  /** More than one while a key is replaced. */
  #verifiers: readonly Verifier[] = [];

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
    // The address of keys needs no second value: the issuer publishes its next key there.
    const read = source.isSecret ? readRotatedSetting : readOnlySetting;
    const written = read(environment, ['authentication', name], source.field, source);
    if (issuer === undefined || audience === undefined) return;
    this.#verifiers = written.map((value) => {
      const keys = source.keysOf(value, name);
      const algorithms = this.algorithms(keys.algorithms, environment);
      const rules = { issuer, audience, algorithms, clockTolerance, requiredClaims: ['exp'] };
      return { keys, rules };
    });
  }

  isTried(request: AccessRequest): boolean {
    return this.#place.isTried(request);
  }

  /** The claims of the token. Throws a ServiceError 503 without any keys. */
  async identify(request: AccessRequest): Promise<Identity> {
    const token = this.#place.read(request);
    if (token === undefined) return 'repeated';
    if (token.length > longest) return 'too-long';
    const refusal = refusalOfHeader(token) ?? (await this.check(token, request.log));
    if (refusal !== undefined) return refusal;
    const claims = claimsOf(token);
    return isSubject(claims['sub']) ? claims : 'claims';
  }

  /** Why all keys refuse the token; undefined if one verifies it. All are tried: otherwise the time would reveal which one it is. */
  private async check(token: string, log: Log): Promise<Refusal | undefined> {
    const found: (Refusal | undefined)[] = [];
    for (const { keys, rules } of this.#verifiers)
      found.push(await keys.check((key) => jwtVerify(token, key, rules), log));
    const refusals = found.filter((refusal) => refusal !== undefined);
    return refusals.length < found.length ? undefined : refusals.reduce(furthest, 'missing');
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

function refusalOfHeader(token: string): Refusal | undefined {
  try {
    const header = decodeProtectedHeader(token);
    return refusedHeaders.some((field) => field in header) ? 'token-header' : undefined;
  } catch {
    return 'malformed';
  }
}

/** The claims of a verified token, with all digits of numbers. The verification ensures that they are an object. */
function claimsOf(token: string): JsonObject {
  return parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as JsonObject;
}
