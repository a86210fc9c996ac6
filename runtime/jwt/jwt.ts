/** Authenticates with tokens (JWT) of an issuer, verified with keys from a setting. */
import { decodeProtectedHeader, jwtVerify, type JWTVerifyOptions } from 'jose';
import {
  scopesIn,
  type AskedAgain,
  type Authentication,
  type Identity,
} from '../authentication/authentication.js';
import { findCaller, type CallerFinder } from '../authentication/find-caller.js';
import { authorizationPlace, cookiePlace, type CredentialPlace } from '../authentication/places.js';
import { furthest, type Refusal, type RefusedCredentials } from '../authentication/refusal.js';
import type { Json, JsonObject } from '../handler/json.js';
import { parseJson } from '../handler/parse-json.js';
import type { AccessRequest, Handler } from '../http/route.js';
import { readCheckedSetting, readOnlySetting, readRotatedSetting } from '../server/checked-setting.js';
import type { Environment } from '../server/environment.js';
import type { Log } from '../server/log.js';
import { isSecureAddress } from '../server/secure-address.js';
import { noteSecret } from '../values/secret-values.js';
import { clockTolerance } from './clock-tolerance.js';
import { problemsOfCommonTokens, type TokenChecks } from './common-tokens.js';
import { longestToken, readIssuer, type IssueOptions, type TokenIssuer } from './issue.js';
import type { KeySource, TokenKeys } from './token-keys.js';

export interface JwtOptions {
  /** `none` if tokens of any issuer are accepted; otherwise it is a setting. */
  readonly issuer?: 'none';
  /** `none` if tokens for any audience are accepted; otherwise it is a setting. */
  readonly audience?: 'none';
  /** `none` if tokens without an end are accepted. An end in a token counts. */
  readonly expiry?: 'none';
  /** The scheme before the token in the `Authorization` header, instead of `Bearer`. */
  readonly scheme?: string;
  /** The cookie that contains the token, instead of the header. */
  readonly cookie?: string;
  /** Accepted algorithms, which can only narrow those of the keys. */
  readonly algorithms?: readonly string[];
  /** The claim with the scopes, instead of `scope` and `scp`. */
  readonly scopesClaim?: string;
  /** Tokens that the service itself issues. */
  readonly issue?: IssueOptions;
  /** An operation that returns the caller; in it, the caller is the claims of the token. */
  readonly operation?: Handler;
}

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
  /** More than one while a key is replaced, or if the service issues tokens with a separate key. */
  #verifiers: readonly Verifier[] = [];
  /** The verifiers of tokens that the service issues. */
  #ownVerifiers: readonly Verifier[] = [];
  #issuer: TokenIssuer | undefined;
  #authorizationServer: string | undefined;
  #checks: TokenChecks | undefined;

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

  get authorizationServer(): string | undefined {
    return this.#authorizationServer;
  }

  readSettings(environment: Environment): void {
    this.#place.readSettings?.(environment);
    const issuer = this.identifier('issuer', environment);
    const audience = this.identifier('audience', environment);
    const { name, source, options } = this;
    // The address of keys needs no second value: the issuer publishes its next key there.
    const read = source.isSecret ? readRotatedSetting : readOnlySetting;
    const written = read(environment, ['authentication', name], source.field, source);
    const { issue, algorithms, expiry, operation } = options;
    const issued = readIssuer(name, { issuer, audience, key: written[0], issue, algorithms }, environment);
    if (issuer === undefined || audience === undefined) return;
    this.#issuer = issued?.issuer;
    this.#authorizationServer = isServer(issuer, options) ? issuer : undefined;
    const rules: JWTVerifyOptions = {
      ...(issuer === null ? {} : { issuer }),
      ...(audience === null ? {} : { audience }),
      clockTolerance,
      requiredClaims: expiry === 'none' ? [] : ['exp'],
    };
    const verifier = (keys: TokenKeys): Verifier => ({
      keys,
      rules: { ...rules, algorithms: this.algorithms(keys.algorithms, environment) },
    });
    const configured = written.map((value) => verifier(source.keysOf(value, name)));
    const own = (issued?.keys ?? []).map(verifier);
    this.#verifiers = [...configured, ...own];
    this.#ownVerifiers = own.length === 0 ? configured : own;
    const keys = this.#verifiers.map((one) => one.keys.id);
    this.#checks = { name, issuer, audience, keys, operation };
  }

  /** Also signs and verifies a token if the service issues tokens. */
  async problemsAtStart(later: readonly object[], log: Log): Promise<readonly string[]> {
    const others = later.flatMap((one) => (one instanceof Jwt ? (one.#checks ?? []) : []));
    const common = this.#checks === undefined ? [] : problemsOfCommonTokens(this.#checks, others);
    if (this.#issuer === undefined || (await this.acceptsOwn(this.#issuer, log))) return common;
    return [...common, `The authentication ${this.name} does not accept a token that it has signed itself`];
  }

  private async acceptsOwn(issuer: TokenIssuer, log: Log): Promise<boolean> {
    const { lifetime = 0 } = this.options.issue ?? {};
    const [name] = typeof lifetime === 'number' ? [] : Object.keys(lifetime);
    const token = await issuer.sign({ sub: 'start' }, name);
    return (await refusalBy(this.#ownVerifiers, token, log)) === undefined;
  }

  /**
   * Signs a token that this authentication accepts. Of the claims, it has `sub` and those that `issue` names. `lifetime`: one of several
   * lifetimes by name. Throws a ServiceError 500 without `sub`, and for a token that would be too long.
   */
  async sign(claims: Json | undefined, lifetime?: string): Promise<string> {
    if (this.#issuer === undefined) throw new Error(`The authentication ${this.name} issues no tokens.`);
    const token = await this.#issuer.sign(claims ?? null, lifetime);
    noteSecret(token);
    return token;
  }

  isTried(request: AccessRequest): boolean {
    return this.#place.isTried(request);
  }

  /** Undefined for an API key. Throws a ServiceError 403 for a cookie sent by a page of another origin. */
  partsOf(request: AccessRequest): Readonly<Record<string, never>> | undefined {
    const token = this.#place.read(request);
    return token === undefined || token.split('.').length === 3 ? {} : undefined;
  }

  /** The claims of the token, or the response of the operation. Throws a ServiceError 503 without any keys. */
  async identify(request: AccessRequest): Promise<Identity> {
    const token = this.#place.read(request);
    if (token === undefined) return 'repeated';
    if (token.length > longestToken) return 'too-long';
    const refusal = refusalOfHeader(token) ?? (await refusalBy(this.#verifiers, token, request.log));
    if (refusal !== undefined) return refusal;
    const claims = claimsOf(token);
    if (!isSubject(claims['sub'])) return 'claims';
    const { operation } = this.options;
    if (operation === undefined) return claims;
    const caller = { ...claims, authentication: this.name };
    return findCaller(finderOf(operation), { parameters: {}, caller }, request);
  }

  findAgain(...asked: AskedAgain): Promise<JsonObject | RefusedCredentials> | undefined {
    const { operation } = this.options;
    return operation && findCaller(finderOf(operation), ...asked);
  }

  scopesOf(caller: JsonObject): ReadonlySet<string> {
    const { scopesClaim } = this.options;
    return scopesClaim === undefined
      ? scopesIn(caller['scope'], caller['scp'])
      : scopesIn(Object.hasOwn(caller, scopesClaim) ? caller[scopesClaim] : undefined);
  }

  /** The required issuer or audience; null if the configuration requires none. */
  private identifier(field: 'issuer' | 'audience', environment: Environment): string | null | undefined {
    if (this.options[field] === 'none') return null;
    return readCheckedSetting(environment, ['authentication', this.name], field, {
      isSecret: false,
      problemOf: problemOfIdentifier,
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

/** Whether clients can ask the issuer for tokens, and send them as `Bearer`: it is a URL, and not this service itself. */
function isServer(issuer: string | null, { scheme = 'Bearer', cookie, issue }: JwtOptions): issuer is string {
  const isSent = /^bearer$/i.test(scheme) && cookie === undefined;
  return issuer !== null && isSent && issue === undefined && isSecureAddress(issuer);
}

function finderOf(operation: Handler): CallerFinder {
  return { operation, unknown: 'unknown-caller', areVerified: true };
}

function problemOfIdentifier(value: string): string | undefined {
  if (value.trim() === '') return 'is empty';
  return /^\s*none\s*$/i.test(value)
    ? 'is none, and only the configuration can switch this check off'
    : undefined;
}

/** Why all keys refuse the token; undefined if one verifies it. All are tried: otherwise the time would reveal which one it is. */
async function refusalBy(
  verifiers: readonly Verifier[],
  token: string,
  log: Log,
): Promise<Refusal | undefined> {
  const found: (Refusal | undefined)[] = [];
  for (const { keys, rules } of verifiers)
    found.push(await keys.check((key) => jwtVerify(token, key, rules), log));
  const refusals = found.filter((refusal) => refusal !== undefined);
  return refusals.length < found.length ? undefined : refusals.reduce(furthest, 'missing');
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
