/** Signs the tokens (JWT) that a service issues. */
import { CompactSign } from 'jose';
import { exactJson } from '../handler/exact-numbers.js';
import { isNumberIn, type Json, type JsonObject } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { readRotatedSetting } from '../server/checked-setting.js';
import type { Environment } from '../server/environment.js';
import { isPem, problemOfSigningKey, signingKey, type SigningKey } from './key-text.js';
import type { TokenKeys } from './token-keys.js';

export interface IssueOptions {
  /** Seconds, or several lifetimes by name. */
  readonly lifetime: number | Readonly<Record<string, number>>;
  /** The claims of a token, except `sub`. */
  readonly claims?: readonly string[];
  /** How many keys the configuration has for signing; without any, the key that verifies tokens also signs them. */
  readonly keys?: number;
}

/** Maximum characters of a token. */
export const longestToken = 8 * 1024;

/** The issuer and the audience of the tokens. */
export interface IssuedIdentity {
  readonly issuer: string;
  readonly audience: string;
}

export class TokenIssuer {
  constructor(
    private readonly identity: IssuedIdentity,
    private readonly signing: SigningKey,
    private readonly algorithm: string,
    private readonly options: IssueOptions,
  ) {}

  async sign(claims: Json, lifetime?: string): Promise<string> {
    const seconds = this.secondsOf(lifetime);
    if (typeof claims !== 'object' || claims === null || Array.isArray(claims))
      throw unsigned('its claims are not an object');
    const { sub } = claims;
    if (typeof sub !== 'string' && typeof sub !== 'number') throw unsigned('its claims have no sub');
    const payload = Buffer.from(this.payloadOf(claims, seconds));
    const token = await new CompactSign(payload)
      .setProtectedHeader({ alg: this.algorithm, typ: 'JWT' })
      .sign(this.signing.key);
    if (token.length > longestToken) throw unsigned(`it has more than ${longestToken} characters`);
    return token;
  }

  private secondsOf(name: string | undefined): number {
    const { lifetime } = this.options;
    if (typeof lifetime === 'number' && name === undefined) return lifetime;
    if (typeof lifetime === 'object' && name !== undefined && Object.hasOwn(lifetime, name))
      return lifetime[name] ?? 0;
    throw unsigned('its lifetime is not one of issue');
  }

  /** The claims as JSON, with all digits of numbers. */
  private payloadOf(claims: JsonObject, seconds: number): string {
    const now = Math.floor(Date.now() / 1000);
    const { issuer: iss, audience: aud } = this.identity;
    const own = { iss, aud, iat: now, exp: now + seconds };
    const named = ['sub', ...(this.options.claims ?? [])].flatMap((name) => {
      const value = Object.hasOwn(claims, name) ? (claims[name] ?? null) : null;
      if (value === null) return [];
      const isDigits = typeof value === 'string' && isNumberIn(claims, name);
      return [`${JSON.stringify(name)}:${isDigits ? value : exactJson(value)}`];
    });
    return `{${[...Object.entries(own).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`), ...named].join(',')}}`;
  }
}

function unsigned(problem: string): ServiceError {
  return new ServiceError(500, 'Internal server error', {
    log: { reason: `a token is not signed: ${problem}` },
  });
}

/** The settings of an authentication for its tokens. */
interface IssueSettings {
  /** Null if the service does not check it; undefined if it is missing. */
  readonly issuer: string | null | undefined;
  readonly audience: string | null | undefined;
  /** The key that verifies tokens. */
  readonly key: string | undefined;
  readonly issue: IssueOptions | undefined;
  /** The algorithms of the configuration. */
  readonly algorithms: readonly string[] | undefined;
}

/** The issuer of tokens, and the keys that only it has; undefined if the service issues no tokens, or with a problem. */
export function readIssuer(
  name: string,
  { issuer, audience, key, issue, algorithms }: IssueSettings,
  environment: Environment,
): { readonly issuer: TokenIssuer; readonly keys: readonly TokenKeys[] } | undefined {
  if (issue === undefined) return undefined;
  const isOwn = issue.keys !== undefined;
  const written = isOwn
    ? readRotatedSetting(environment, ['authentication', name], 'issue_key', {
        meaning: 'the field issue.key',
        configured: issue.keys,
        problemOf: problemOfSigningKey,
      })
    : [key ?? []].flat();
  const [first] = written;
  if (first === undefined || typeof issuer !== 'string' || typeof audience !== 'string') return undefined;
  if (!isOwn && isPem(first)) {
    environment.problems.push(
      `The key of the authentication ${name} is a public key, which cannot sign tokens: it needs a secret, or issue.key`,
    );
    return undefined;
  }
  const keys = written.map(signingKey);
  const [signing] = keys;
  const { algorithms: ofKey = [] } = signing?.verifying ?? {};
  const algorithm = ofKey.find((one) => algorithms?.includes(one) ?? true);
  if (signing === undefined || algorithm === undefined) {
    environment.problems.push(
      `The key with which the authentication ${name} signs is for ${ofKey.join(', ')}, and its algorithms are ${algorithms?.join(', ') ?? ''}`,
    );
    return undefined;
  }
  return {
    issuer: new TokenIssuer({ issuer, audience }, signing, algorithm, issue),
    keys: isOwn ? keys.map(({ verifying }) => verifying) : [],
  };
}
