/** Credentials that the tester makes for requests: accounts, tokens, API keys and signatures, without any secret of production. */
import { referencesIn } from '../../../runtime/server/environment-reference.js';
import { replaceReferences } from '../../read/config/environment-reference.js';
import type { Authentication, AuthenticationOf, Config } from '../../read/config/config-model.js';
import type { ScalarText } from '../../read/source.js';
import {
  cheapHash,
  isDigest,
  sentAccount,
  sentKey,
  sentSignature,
  sentToken,
  settingOf,
  type SentCredentials,
} from '../local/credentials.js';
import { StubServer } from '../local/stub-server.js';
import { claimsOfToken, isPem, makeTokenKey, signToken, type TokenKey } from '../local/token-keys.js';

/** Replaces keys and secrets from the environment: long enough for a key, and valid Base64. */
const testValue = 'testtesttesttesttesttesttesttesttesttest';

/** The `kid` of tokens. */
const kid = 'test';

/** The sender of a request. */
export interface Identity {
  /** Name of the authentication. */
  readonly authentication: string;
  /** Claims of the token; null for a claim that the token must not have. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Name of the API key, or the key itself if an operation looks up its caller. */
  readonly key: string | undefined;
  /** The account if an operation looks it up. */
  readonly user?: string | undefined;
  readonly password?: string | undefined;
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
        const { issuer, audience, jwks, key, issue } = authentication;
        this.#setReferences([issuer, audience, jwks]);
        // Authentications with a key in common could accept the tokens of each other.
        this.#setReferences([key, ...(issue?.keys ?? [])], keyOf);
        await this.#prepareTokens(authentication);
        break;
      }
      case 'apikey':
        for (const { value } of authentication.keys)
          this.#setReferences([value], (name) => keyOf(name, prefixOf(authentication, value)));
        for (const { name, value } of authentication.keys)
          // The key cannot be derived from its digest.
          if (isDigest(this.#resolved(value)))
            this.#set(
              authentication,
              `key_${name.value}`,
              `${authentication.prefix?.value ?? ''}${testValue}-${name.value}`,
            );
        break;
      case 'signature':
        this.#setReferences(authentication.secrets);
        break;
      case 'custom':
      case undefined:
        break;
    }
  }

  /** Sets variables without a default, by default to the test value. */
  #setReferences(
    texts: readonly (ScalarText | undefined)[],
    valueOf = (_name: string): string => testValue,
  ): void {
    for (const text of texts)
      for (const { name, fallback } of referencesIn(text?.value ?? ''))
        if (fallback === undefined) this.settings[name] = valueOf(name);
  }

  #prepareAccount(authentication: AuthenticationOf<'basicauth'>): void {
    const { name, user, password, passwordHash, operation } = authentication;
    if (operation !== undefined) return;
    const isOpen = passwordHash !== undefined || /\$\{/.test(`${user?.value ?? ''}${password?.value ?? ''}`);
    this.#set(authentication, 'user', isOpen ? 'test' : (user?.value ?? ''));
    this.#set(authentication, 'password', isOpen ? `test-${name.value}` : (password?.value ?? ''));
    if (passwordHash !== undefined)
      this.#set(authentication, 'password_hash', cheapHash(`test-${name.value}`));
  }

  /** Creates a signing key: the secret in the settings, or a key pair whose public key the service gets. */
  async #prepareTokens(authentication: AuthenticationOf<'jwt'>): Promise<void> {
    const { name, key, jwks, algorithms } = authentication;
    const written = this.#valueOf(authentication, 'key', key);
    const [algorithm] = algorithms.map(({ value }) => value);
    const isSecret = algorithm === undefined || algorithm.startsWith('HS');
    if (jwks === undefined && isSecret && !isPem(written)) {
      this.#tokenKeys.set(name.value, { algorithm: algorithm ?? 'HS256', key: Buffer.from(written), kid });
      return;
    }
    const made = await makeTokenKey(isSecret ? 'ES256' : algorithm, kid);
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
  async of(identity: Identity, content: Buffer): Promise<SentCredentials> {
    const { authentication: name, claims, key } = identity;
    const authentication = this.authentications.get(name);
    switch (authentication?.type) {
      case 'basicauth':
        return authentication.operation === undefined
          ? sentAccount(this.#setting(authentication, 'user'), this.#setting(authentication, 'password'))
          : sentAccount(identity.user ?? '', identity.password ?? '');
      case 'jwt':
        return sentToken(authentication, await this.#token(authentication, claims));
      case 'apikey':
        return sentKey(authentication, this.#apiKey(authentication, key));
      case 'signature': {
        const secret = this.#valueOf(authentication, 'secret', authentication.secrets[0]);
        return sentSignature(authentication, secret, content);
      }
      case 'custom':
      case undefined:
        return { headers: {}, query: [] };
    }
  }

  #token(authentication: AuthenticationOf<'jwt'>, claims: Identity['claims']): Promise<string> {
    const key = this.#tokenKeys.get(authentication.name.value);
    if (key === undefined) throw new Error(`No key for tokens of '${authentication.name.value}'.`);
    const issuer = {
      iss: this.#valueOf(authentication, 'issuer', authentication.issuer),
      aud: this.#valueOf(authentication, 'audience', authentication.audience),
    };
    return signToken(claimsOfToken(issuer, 3600, claims), key);
  }

  #apiKey(authentication: AuthenticationOf<'apikey'>, key: string | undefined): string {
    const { keys, operation } = authentication;
    if (operation !== undefined) return key ?? testValue;
    const found = keys.find(({ name }) => name.value === key) ?? keys[0];
    return this.#valueOf(authentication, `key_${found?.name.value ?? ''}`, found?.value);
  }

  /** Sets a field of an authentication, unless the test file does. */
  #set(authentication: Authentication, field: string, value: string): void {
    const variable = settingOf(authentication, field);
    if (this.own[variable] === undefined) this.settings[variable] = value;
  }

  #setting(authentication: Authentication, field: string): string {
    const variable = settingOf(authentication, field);
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

/** The value of a variable with a key: different for each variable. */
function keyOf(variable: string, prefix = ''): string {
  return `${prefix}${testValue}-${variable}`;
}

/** The prefix of keys, unless the configuration contains it next to the variable. */
function prefixOf({ prefix }: AuthenticationOf<'apikey'>, written: ScalarText): string {
  return prefix === undefined || written.value.startsWith(prefix.value) ? '' : prefix.value;
}
