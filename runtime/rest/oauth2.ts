/** OAuth 2 client credentials (RFC 6749, section 4.4): adds a token, cached until it expires, to the requests of a datasource. */
import { errorCode } from '../handler/reply.js';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Call } from '../handler/call.js';
import { readCheckedSetting } from '../server/checked-setting.js';
import type { Environment } from '../server/environment.js';
import { formBody, headerIn } from './message.js';
import { notLoggedIn, tookTooLong, type CallSite, type FailureKind } from './failure.js';
import { exchange, isNoHttp, type Incoming, type Outgoing } from './http-exchange.js';
import type { IdentifiedRequest, Identity } from './parts.js';
import { TimeLimit } from './time-limit.js';
import { problemOfTokenUrl } from '../server/secure-address.js';
import { PackingError } from './unpack.js';
import { withinCall } from './within-call.js';

export interface OAuth2Options {
  /** True if the configuration contains a scope. */
  readonly hasScope?: boolean;
  /** The names of additional fields of the token request. */
  readonly parameters?: readonly string[];
  /** How the client authenticates: HTTP Basic, or form fields. The default is `basic`. */
  readonly clientAuth?: 'basic' | 'body';
}

/** Creates the OAuth 2 login of a datasource. */
export function oauth2(options: OAuth2Options = {}): Identity {
  return new ClientCredentials(options);
}

/** Milliseconds for a token request. */
const timeLimit = 10_000;
/** Maximum bytes of a token response. */
const sizeLimit = 1024 * 1024;
/** Milliseconds after a failed token request before the next one. */
const pause = 5_000;
/** The fraction of its lifetime after which a token is renewed. */
const part = 0.9;

interface Token {
  readonly value: string;
  /** Times in milliseconds of `performance.now()`. */
  readonly renewal: number;
  readonly end: number;
}

/** The reason for a missing token. */
class TokenFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    /** The reason, for the log. */
    readonly reason: string,
  ) {
    super(reason);
  }
}

interface Settings {
  readonly url: string;
  readonly id: string;
  readonly secret: string;
  readonly fields: Readonly<Record<string, string>>;
}

class ClientCredentials implements Identity {
  #settings: Settings | undefined;
  #token: Token | undefined;
  #renewal: Promise<Token> | undefined;
  #failure: { readonly error: TokenFailure; readonly end: number } | undefined;

  constructor(private readonly options: OAuth2Options) {}

  readSettings(datasource: string, environment: Environment): void {
    const read = (
      field: string,
      isSecret: boolean,
      problemOf?: (value: string) => string | undefined,
    ): string =>
      readCheckedSetting(environment, ['datasource', datasource], `oauth2.${field}`, {
        isSecret,
        problemOf: (value) => (value === '' ? 'is not set' : problemOf?.(value)),
      }) ?? '';
    const { hasScope = false, parameters = [] } = this.options;
    this.#settings = {
      url: read('tokenUrl', false, problemOfTokenUrl),
      id: read('clientId', false),
      secret: read('clientSecret', true),
      fields: {
        ...(hasScope ? { scope: read('scope', false) } : {}),
        ...Object.fromEntries(parameters.map((name) => [name, read(`parameters.${name}`, true)])),
      },
    };
  }

  async send({ call, callSite, outgoing, send }: IdentifiedRequest): Promise<Incoming> {
    // The request sets its own credentials.
    if (headerIn(outgoing.headers, 'authorization') !== undefined) return send(outgoing);
    const first = await this.#tokenFor(call, callSite);
    const incoming = await send(withToken(outgoing, first));
    if (incoming.status !== 401) return incoming;
    // Another call may have renewed the token in the meantime.
    if (this.#token === first) this.#token = undefined;
    return send(withToken(outgoing, await this.#tokenFor(call, callSite)));
  }

  async #tokenFor(call: Call, callSite: CallSite): Promise<Token> {
    const kept = this.#token;
    if (kept !== undefined && performance.now() < kept.renewal) return kept;
    try {
      return await withinCall(call, this.#renewed(), () => tookTooLong(callSite, true, true));
    } catch (error) {
      if (!(error instanceof TokenFailure)) throw error;
      // The rest of the lifetime bridges outages of the token server.
      if (kept !== undefined && this.#token === kept && performance.now() < kept.end) return kept;
      const seconds = Math.ceil(Math.max(1, (this.#failure?.end ?? 0) - performance.now()) / 1000);
      throw notLoggedIn(call, callSite, error.reason, error.kind, seconds);
    }
  }

  /** Requests a token. All waiting calls share one token request. */
  #renewed(): Promise<Token> {
    const failure = this.#failure;
    if (failure !== undefined && performance.now() < failure.end) return Promise.reject(failure.error);
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renew(): Promise<Token> {
    try {
      const token = await this.#request();
      this.#failure = undefined;
      this.#token = token;
      return token;
    } catch (error) {
      if (error instanceof TokenFailure) this.#failure = { error, end: performance.now() + pause };
      throw error;
    }
  }

  async #request(): Promise<Token> {
    const start = performance.now();
    const limit = new TimeLimit(timeLimit);
    const connections = { httpAgent: new HttpAgent(), httpsAgent: new HttpsAgent() };
    try {
      const transport = { ...connections, responseLimit: sizeLimit, limit };
      return tokenOf(await exchange(this.#message(), transport, connections), start);
    } catch (error) {
      if (error instanceof TokenFailure) throw error;
      if (limit.isOver) throw new TokenFailure('timeout', `no response within ${timeLimit} ms`);
      throw withoutSecret(error);
    } finally {
      limit.clear();
    }
  }

  #message(): Outgoing {
    if (this.#settings === undefined) throw new Error('The settings of the login have not been read.');
    const { url, id, secret, fields } = this.#settings;
    const isBasic = (this.options.clientAuth ?? 'basic') === 'basic';
    const account = isBasic ? {} : { client_id: id, client_secret: secret };
    const body = formBody({ grant_type: 'client_credentials', ...fields, ...account });
    return {
      method: 'POST',
      url: new URL(url),
      headers: {
        Accept: 'application/json',
        'Accept-Encoding': 'identity',
        'User-Agent': 'apikiln',
        ...(isBasic ? { Authorization: basic(id, secret) } : {}),
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Length': String(body.length),
      },
      content: [body],
      isOwn: true,
    };
  }
}

/** An error without the secret, which the original error contains. */
function withoutSecret(error: unknown): TokenFailure {
  if (error instanceof PackingError) return new TokenFailure('unreadable', error.message);
  const code = String(errorCode(error));
  if (isNoHttp(code)) return new TokenFailure('unreadable', `a response that cannot be read: ${code}`);
  return new TokenFailure('unreachable', `not reachable: ${code}`);
}

/** The Basic credentials. Id and password are form-encoded (RFC 6749, section 2.3.1). */
function basic(id: string, secret: string): string {
  const [name, password] = [id, secret].map((text) => new URLSearchParams({ '': text }).toString().slice(1));
  return `Basic ${Buffer.from(`${name ?? ''}:${password ?? ''}`).toString('base64')}`;
}

function withToken(outgoing: Outgoing, { value }: Token): Outgoing {
  return { ...outgoing, headers: { ...outgoing.headers, Authorization: `Bearer ${value}` } };
}

/** OAuth error codes, which do not contain secrets. */
const errorWord = /^[a-z_]{1,40}$/;
/** Tokens that are allowed in a header (RFC 6750, section 2.1). */
const bearer = /^[\x21-\x7e]+$/;

function tokenOf({ status, bytes }: Incoming, start: number): Token {
  const found = parsed(bytes);
  const { error, access_token: value, expires_in: life } = found ?? {};
  if (status !== 200) {
    const code = typeof error === 'string' && errorWord.test(error) ? `, ${error}` : '';
    const isPassing = status === 429 || status >= 500;
    throw new TokenFailure(isPassing ? 'unreachable' : 'unreadable', `status ${status}${code}`);
  }
  if (typeof value !== 'string' || !bearer.test(value))
    throw new TokenFailure('unreadable', 'a response without a usable access_token');
  const seconds = life === undefined || life === null ? Infinity : Number(life);
  const milliseconds = Number.isNaN(seconds) ? Infinity : Math.max(0, seconds) * 1000;
  return { value, renewal: start + milliseconds * part, end: start + milliseconds };
}

function parsed(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
