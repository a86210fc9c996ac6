/** Credentials that tests generate for requests: accounts, tokens, API keys and signatures, without production secrets. */
import { randomUUID, scryptSync } from 'node:crypto';
import { referencesIn, upperSnake } from '../../../runtime/server/environment-reference.js';
import { replaceReferences } from '../../read/config/environment-reference.js';
import { schemes } from '../../../runtime/signature/schemes.js';
import { signedHeaders } from '../../../runtime/signature/signed-headers.js';
import type { Authentication, AuthenticationOf, Config } from '../../read/config/config-model.js';
import type { ScalarText } from '../../read/source.js';
import { StubServer } from '../local/stub-server.js';
import type { CryptoKey, JWK } from 'jose';

/** Replaces keys and secrets from the environment: long enough for a key, and valid Base64. */
const testValue = 'testtesttesttesttesttesttesttesttesttest';

/** Who a request is from. */
export interface Identity {
  /** Name of the authentication. */
  readonly authentication: string;
  /** Claims of the token; null for a claim that the token must not have. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Name of the API key, or the key itself if an operation looks up its caller. */
  readonly key: string | undefined;
}

/** Headers and query parameters that credentials add to a request. */
export interface SentCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
}

export class TestCredentials {
  /** Settings that make the service accept these credentials. */
  readonly settings: Record<string, string> = {};
  readonly #tokenKeys = new Map<string, TokenKey>();
  readonly #servers: StubServer[] = [];

  private constructor(
    private readonly authentications: ReadonlyMap<string, Authentication>,
    private readonly own: Readonly<Record<string, string>>,
  ) {}

  /** `own`: variables of the test file, which take precedence. */
  static async start(config: Config, own: Readonly<Record<string, string>>): Promise<TestCredentials> {
    const byName = new Map(config.authentications.map((one) => [one.name.value, one]));
    const credentials = new TestCredentials(byName, own);
    try {
      for (const authentication of config.authentications) await credentials.#prepare(authentication);
      return credentials;
    } catch (error) {
      await credentials.stop();
      throw error;
    }
  }

  async #prepare(authentication: Authentication): Promise<void> {
    switch (authentication.type) {
      case 'basicauth':
        this.#prepareAccount(authentication);
        break;
      case 'jwt': {
        const { issuer, audience, jwks, key } = authentication;
        this.#setReferences([issuer, audience, jwks, key]);
        await this.#prepareTokens(authentication);
        break;
      }
      case 'apikey':
        this.#setReferences(authentication.keys.map(({ value }) => value));
        for (const { name, value } of authentication.keys)
          // The key cannot be derived from its digest.
          if (/^sha256:/i.test(this.#resolved(value)))
            this.#set(authentication, `key_${name.value}`, `${testValue}-${name.value}`);
        break;
      case 'signature':
        this.#setReferences(authentication.secrets);
        break;
      case 'custom':
      case undefined:
        break;
    }
  }

  /** Sets variables without a default to the test value. */
  #setReferences(texts: readonly (ScalarText | undefined)[]): void {
    for (const text of texts)
      for (const { name, fallback } of referencesIn(text?.value ?? ''))
        if (fallback === undefined) this.settings[name] = testValue;
  }

  #prepareAccount(authentication: AuthenticationOf<'basicauth'>): void {
    const { name, user, password, passwordHash } = authentication;
    const isOpen = passwordHash !== undefined || /\$\{/.test(`${user?.value ?? ''}${password?.value ?? ''}`);
    this.#set(authentication, 'user', isOpen ? 'test' : (user?.value ?? ''));
    this.#set(authentication, 'password', isOpen ? `test-${name.value}` : (password?.value ?? ''));
    if (passwordHash !== undefined) this.#set(authentication, 'password_hash', hashOf(`test-${name.value}`));
  }

  /** Creates a signing key: the secret in the settings, or a key pair whose public key the service gets. */
  async #prepareTokens(authentication: AuthenticationOf<'jwt'>): Promise<void> {
    const { name, key, jwks, algorithms } = authentication;
    const written = this.#valueOf(authentication, 'key', key);
    const [algorithm] = algorithms.map(({ value }) => value);
    const isSecret = algorithm === undefined || algorithm.startsWith('HS');
    if (jwks === undefined && isSecret && !written.includes('-----BEGIN ')) {
      this.#tokenKeys.set(name.value, { algorithm: algorithm ?? 'HS256', key: Buffer.from(written) });
      return;
    }
    const made = await makeTokenKey(isSecret ? 'ES256' : algorithm);
    this.#tokenKeys.set(name.value, made);
    if (jwks === undefined) {
      this.#set(authentication, 'key', made.pem);
      return;
    }
    const body = JSON.stringify({ keys: [made.jwk] });
    const server = await StubServer.start(() => ({ headers: { 'content-type': 'application/json' }, body }));
    this.#servers.push(server);
    this.#set(authentication, 'jwks', `${server.url}/keys`);
  }

  /** The credentials of a request. `content`: the bytes of its body, which signatures cover. */
  async of({ authentication: name, claims, key }: Identity, content: Buffer): Promise<SentCredentials> {
    const authentication = this.authentications.get(name);
    switch (authentication?.type) {
      case 'basicauth': {
        const pair = `${this.#setting(authentication, 'user')}:${this.#setting(authentication, 'password')}`;
        return inHeader('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
      }
      case 'jwt': {
        const token = await this.#token(authentication, claims);
        const { scheme, cookie } = authentication;
        return cookie === undefined
          ? inHeader('authorization', `${scheme?.value ?? 'Bearer'} ${token}`)
          : inCookie(cookie.value, token);
      }
      case 'apikey': {
        const { header, query, cookie } = authentication;
        const value = this.#apiKey(authentication, key);
        if (header !== undefined) return inHeader(header.value, value);
        return query === undefined
          ? inCookie(cookie?.value ?? '', value)
          : { headers: {}, query: [[query.value, value]] };
      }
      case 'signature':
        return { headers: this.#signature(authentication, content), query: [] };
      case 'custom':
      case undefined:
        return { headers: {}, query: [] };
    }
  }

  #token(authentication: AuthenticationOf<'jwt'>, claims: Identity['claims']): Promise<string> {
    const key = this.#tokenKeys.get(authentication.name.value);
    if (key === undefined) throw new Error(`No key for tokens of '${authentication.name.value}'.`);
    const now = Math.floor(Date.now() / 1000);
    const all: Record<string, unknown> = {
      iss: this.#valueOf(authentication, 'issuer', authentication.issuer),
      aud: this.#valueOf(authentication, 'audience', authentication.audience),
      ...{ sub: 'test', iat: now, exp: now + 3600, ...claims },
    };
    const sent = Object.entries(all).filter(([, value]) => value !== null);
    return signToken(Object.fromEntries(sent), key);
  }

  #apiKey(authentication: AuthenticationOf<'apikey'>, key: string | undefined): string {
    const { keys, operation } = authentication;
    if (operation !== undefined) return key ?? testValue;
    const found = keys.find(({ name }) => name.value === key) ?? keys[0];
    return this.#valueOf(authentication, `key_${found?.name.value ?? ''}`, found?.value);
  }

  #signature(
    authentication: AuthenticationOf<'signature'>,
    content: Buffer,
  ): Readonly<Record<string, string>> {
    const secret = this.#valueOf(authentication, 'secret', authentication.secrets[0]);
    const scheme = authentication.scheme?.value ?? 'standard-webhooks';
    const key = schemes[scheme].keyOf(secret) ?? Buffer.from(secret);
    const headers = signedHeaders(scheme, { key, id: `msg_${randomUUID()}`, content: [content] });
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  }

  /** Sets a field of an authentication unless the test file does. */
  #set(authentication: Authentication, field: string, value: string): void {
    const variable = variableOf(authentication, field);
    if (this.own[variable] === undefined) this.settings[variable] = value;
  }

  #setting(authentication: Authentication, field: string): string {
    const variable = variableOf(authentication, field);
    return this.own[variable] ?? this.settings[variable] ?? '';
  }

  /** The service's value of a field. */
  #valueOf(authentication: Authentication, field: string, written: ScalarText | undefined): string {
    return this.#setting(authentication, field) || this.#resolved(written);
  }

  #resolved(written: ScalarText | undefined): string {
    return replaceReferences(
      written?.value ?? '',
      ({ name, fallback }) => this.own[name] ?? fallback ?? this.settings[name] ?? testValue,
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
  }
}

function variableOf({ name }: Authentication, field: string): string {
  return `AUTHENTICATION_${upperSnake(name.value)}_${upperSnake(field)}`;
}

function inHeader(name: string, value: string): SentCredentials {
  return { headers: { [name.toLowerCase()]: value }, query: [] };
}

/** A cookie, with the headers that a page of the service would send. */
function inCookie(name: string, value: string): SentCredentials {
  return { headers: { cookie: `${name}=${value}`, 'sec-fetch-site': 'same-origin' }, query: [] };
}

/** A hash with the lowest allowed cost. */
function hashOf(password: string): string {
  const salt = Buffer.from('salt of tests');
  const [saltText, hash] = [salt, scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 })].map((bytes) =>
    bytes.toString('base64'),
  );
  return `$scrypt$ln=10,r=8,p=1$${saltText}$${hash}`;
}

interface TokenKey {
  readonly algorithm: string;
  readonly key: CryptoKey | Uint8Array;
}

interface TokenKeyPair extends TokenKey {
  /** The public key, in the formats of `jwks` and of `key`. */
  readonly jwk: JWK;
  readonly pem: string;
}

async function makeTokenKey(algorithm: string): Promise<TokenKeyPair> {
  const { exportJWK, exportSPKI, generateKeyPair } = await import('jose');
  const { privateKey, publicKey } = await generateKeyPair(algorithm);
  const jwk = { ...(await exportJWK(publicKey)), kid: 'test', alg: algorithm, use: 'sig' };
  return { algorithm, key: privateKey, jwk, pem: await exportSPKI(publicKey) };
}

async function signToken(
  claims: Readonly<Record<string, unknown>>,
  { algorithm, key }: TokenKey,
): Promise<string> {
  const { SignJWT } = await import('jose');
  return new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid: 'test' }).sign(key);
}
