/** Credentials that the service of `apikiln dev` accepts, for `apikiln token` and the test page: the service gets settings for them, and no code. */
import { randomBytes } from 'node:crypto';
import { Environment } from '../../../runtime/server/environment.js';
import { clockTolerance } from '../../../runtime/jwt/clock-tolerance.js';
import { problemOfJwks } from '../../../runtime/server/secure-address.js';
import type { Authentication, AuthenticationOf, Config } from '../../read/config/config-model.js';
import { listed } from '../../read/diagnostics/quoted-list.js';
import { nearest } from '../../read/diagnostics/suggest.js';
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
import {
  claimsOfToken,
  isPem,
  makeTokenKey,
  signToken,
  type TokenKey,
  type TokenKeyPair,
} from '../local/token-keys.js';
import { KeyRelay } from './key-relay.js';
import { MissingSecrets } from './missing-secrets.js';
import { signedPath } from './signed-path.js';

/** The command line of `apikiln token`. */
export interface CredentialsQuestion {
  readonly authentication: string;
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Seconds for which the service accepts the token; negative for an expired token. */
  readonly seconds?: number | undefined;
  /** The name of an API key. */
  readonly key?: string | undefined;
  /** Whether the whole header is wanted. */
  readonly header?: boolean | undefined;
  /** The path of a signed request. */
  readonly path?: string | undefined;
  /** The body of a signed request, in Base64. */
  readonly body?: string | undefined;
}

/** The caller of a request of the test page. */
export interface Caller {
  /** Claims of a token; null for a claim that the token does not have. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /** Scopes of a token. */
  readonly scopes?: readonly string[] | undefined;
  /** The name of an API key, or the key itself if an operation finds the caller. */
  readonly key?: string | undefined;
}

/** A line, or a request to send. */
export type CredentialsAnswer =
  | { readonly text: string }
  | {
      readonly method: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** Credentials that cannot be made. The message is for the user. */
export class NoCredentials extends Error {
  override readonly name = 'NoCredentials';
}

/** Settings and credentials for the next version of the service; `answer` uses the credentials after a call of `use`. */
export interface PreparedCredentials {
  readonly settings: Readonly<Record<string, string>>;
  /** Lines for the user, each of which is printed once. */
  readonly news: readonly string[];
  readonly makers: ReadonlyMap<string, Maker>;
  readonly config: Config;
}

export interface ServiceVariables {
  /** The variables of the environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `.env` next to the configuration. */
  readonly dotenv: string;
  /** The `.env` of the version: the settings of the configuration and of `dotenv`. */
  readonly envText: string;
}

/** Makes the credentials of one authentication. The functions throw a NoCredentials. */
export interface Maker {
  readonly authentication: Authentication;
  /** Why `dev` cannot make them. */
  readonly problem?: string;
  /** The user name of an account. */
  readonly user?: () => string;
  /** For `apikiln token`. */
  print(question: CredentialsQuestion): CredentialsAnswer | Promise<CredentialsAnswer>;
  /** For a request of the test page. `content`: the bytes of its body, which signatures cover. */
  send(caller: Caller, content: Buffer): SentCredentials | Promise<SentCredentials>;
}

const defaultSeconds = 3600;

export class DevCredentials {
  readonly #missing = new MissingSecrets();
  readonly #relay: KeyRelay;
  /** Generated key pairs by purpose, shared by all versions of a session. */
  readonly #pairs = new Map<string, Promise<TokenKeyPair>>();
  readonly #secrets = new Map<string, string>();
  readonly #printed = new Set<string>();
  #current: PreparedCredentials | undefined;

  constructor(
    /** `http://localhost:8080`. */
    private readonly url: string,
    log: (line: string) => void,
  ) {
    this.#relay = new KeyRelay(log);
  }

  /** `environment` is as the service reads it. Settings of the user are never replaced, except an address of keys by that of the relay. */
  async prepare(
    config: Config,
    { environment, dotenv, envText }: ServiceVariables,
  ): Promise<PreparedCredentials> {
    const written = new Environment(environment, dotenv);
    const made = await this.#missing.valuesFor(config, (name) => (written.text(name) ?? '') !== '');
    const service = new Environment({ ...environment, ...made }, envText);
    const settings: Record<string, string> = { ...made };
    const lines = linesOfMissing(Object.keys(made));
    const makers = new Map<string, Maker>();
    for (const authentication of config.authentications) {
      const part = new Part(authentication, service, settings, lines);
      makers.set(part.name, await this.#maker(part, authentication, config));
    }
    return { settings, news: this.#unprinted(lines), makers, config };
  }

  /** Called when the version runs. */
  use(prepared: PreparedCredentials): void {
    this.#current = prepared;
  }

  /** Throws a NoCredentials. Undefined before the first version runs. */
  async answer(question: CredentialsQuestion): Promise<CredentialsAnswer | undefined> {
    if (this.#current === undefined) return undefined;
    const { makers } = this.#current;
    const maker = makers.get(question.authentication);
    if (maker === undefined) throw unknown(question.authentication, [...makers.keys()]);
    return maker.print(question);
  }

  /** The makers of the running version by the names of authentications; undefined before the first version runs. */
  get makers(): ReadonlyMap<string, Maker> | undefined {
    return this.#current?.makers;
  }

  /** The configuration of the running version. */
  get config(): Config | undefined {
    return this.#current?.config;
  }

  async stop(): Promise<void> {
    await this.#relay.stop();
  }

  async #maker(part: Part, authentication: Authentication, config: Config): Promise<Maker> {
    switch (authentication.type) {
      case 'basicauth':
        return this.#accountMaker(part, authentication);
      case 'jwt':
        return this.#tokenMaker(part, authentication);
      case 'apikey':
        return this.#keyMaker(part, authentication);
      case 'signature':
        return this.#signatureMaker(part, authentication, config);
      case 'custom':
      case undefined:
        return refusing(
          authentication,
          `The credentials of '${authentication.name.value}' are checked by src/middleware.ts, so only you know them.`,
        );
    }
  }

  #accountMaker(part: Part, authentication: AuthenticationOf<'basicauth'>): Maker {
    const { name, operation } = authentication;
    if (operation !== undefined)
      return refusing(
        authentication,
        `The accounts of '${name.value}' are found by the operation '${operation.value}', so its tables have them. Send the user and password of one of these accounts.`,
      );
    let password = part.value('password') ?? '';
    if (authentication.passwordHash !== undefined) {
      const second = part.setting('password_hash_2');
      if (part.isSet(second)) return refusing(authentication, taken(second));
      password = this.#secret(second);
      part.set(second, cheapHash(password));
    }
    const user = (): string => part.value('user') ?? '';
    return {
      authentication,
      user,
      send: () => sentAccount(user(), password),
      print: (question) => {
        refuseOptions(question, 'basicauth', ['header']);
        return question.header === true
          ? { text: headerOf(sentAccount(user(), password).headers) }
          : { text: `${user()}:${password}` };
      },
    };
  }

  async #tokenMaker(part: Part, authentication: AuthenticationOf<'jwt'>): Promise<Maker> {
    const key = await this.#tokenKey(part, authentication);
    if (typeof key === 'string') return refusing(authentication, key);
    const token = ({ claims, scopes = [] }: Caller, seconds: number): Promise<string> => {
      const issuer = { iss: part.value('issuer') ?? '', aud: part.value('audience') ?? '' };
      const scope =
        scopes.length === 0 ? {} : { [authentication.scopesClaim?.value ?? 'scope']: scopes.join(' ') };
      return signToken(claimsOfToken(issuer, seconds - clockTolerance, { ...scope, ...claims }), key);
    };
    return {
      authentication,
      send: async (caller) => sentToken(authentication, await token(caller, defaultSeconds)),
      print: async (question) => {
        refuseOptions(question, 'jwt', ['claims', 'scopes', 'seconds', 'header']);
        const text = await token(question, question.seconds ?? defaultSeconds);
        return { text: question.header === true ? headerOf(sentToken(authentication, text).headers) : text };
      },
    };
  }

  /** The reason if the service cannot accept a key of `dev`. */
  async #tokenKey(part: Part, authentication: AuthenticationOf<'jwt'>): Promise<TokenKey | string> {
    const algorithms = authentication.algorithms.map(({ value }) => value);
    const secretAlgorithm = algorithms.find((algorithm) => algorithm.startsWith('HS')) ?? 'HS256';
    const publicAlgorithm = algorithms.find((algorithm) => !algorithm.startsWith('HS')) ?? 'ES256';
    const secretKey = (secret: string): TokenKey => ({
      ...{ algorithm: secretAlgorithm, key: Buffer.from(secret), kid: 'apikiln-dev' },
    });
    if (authentication.jwks !== undefined) {
      const address = part.value('jwks');
      const problem = address === undefined ? undefined : problemOfJwks(address);
      if (problem !== undefined) return `${part.setting('jwks')} ${problem}.`;
      if (address === undefined)
        part.print(
          `The address of the keys of '${part.name}' is not set: only tokens of 'apikiln token' are accepted.`,
        );
      const pair = await this.#pair(part, publicAlgorithm);
      part.set(part.setting('jwks'), await this.#relay.addressFor(part.name, pair.jwk, address));
      return pair;
    }
    const key = part.value('key') ?? '';
    if (!isPem(key)) return secretKey(key);
    const second = part.setting('key_2');
    const written = part.isSet(second) ? (part.value('key_2') ?? '') : undefined;
    if (written !== undefined) return isPem(written) ? taken(second) : secretKey(written);
    const pair = await this.#pair(part, publicAlgorithm);
    part.set(second, pair.pem);
    return pair;
  }

  #keyMaker(part: Part, authentication: AuthenticationOf<'apikey'>): Maker {
    const { keys, operation, name } = authentication;
    if (operation !== undefined) {
      const refused = refusing(
        authentication,
        `The keys of '${name.value}' are found by the operation '${operation.value}', so its tables have them. Send one of these keys.`,
      );
      // A test names a key of the tables.
      const send: Maker['send'] = (caller, content) =>
        caller.key === undefined ? refused.send(caller, content) : sentKey(authentication, caller.key);
      return { ...refused, send };
    }
    const settings = keys.map((key) => part.setting(`key_${key.name.value}`));
    const known = new Map<string, string | NoCredentials>();
    for (const { name: key } of keys) {
      const first = part.value(`key_${key.value}`) ?? '';
      const second = part.setting(`key_${key.value}_2`);
      const reason = settings.includes(second)
        ? `${second} is the setting of another key, so dev cannot add a second value. Send the key that you know.`
        : part.isSet(second)
          ? taken(second)
          : undefined;
      // A digest does not show its key.
      if (!isDigest(first)) known.set(key.value, first);
      else if (reason !== undefined) known.set(key.value, new NoCredentials(reason));
      else {
        const made = `${authentication.prefix?.value ?? ''}${this.#secret(second)}`;
        known.set(key.value, made);
        part.set(second, made);
      }
    }
    const keyNamed = (wanted = keys[0]?.name.value ?? ''): string => {
      const key = known.get(wanted);
      if (key === undefined) throw unknown(wanted, [...known.keys()], `key of '${name.value}'`);
      if (typeof key !== 'string') throw key;
      return key;
    };
    return {
      authentication,
      send: (caller) => sentKey(authentication, keyNamed(caller.key)),
      print: (question) => {
        refuseOptions(question, 'apikey', ['key', 'header']);
        const key = keyNamed(question.key);
        if (question.header !== true) return { text: key };
        if (authentication.query !== undefined)
          throw new NoCredentials(
            `The key is in the query parameter '${authentication.query.value}', not in a header.`,
          );
        return { text: headerOf(sentKey(authentication, key).headers, authentication.header?.value) };
      },
    };
  }

  #signatureMaker(part: Part, authentication: AuthenticationOf<'signature'>, config: Config): Maker {
    const sign = (content: Buffer): SentCredentials =>
      sentSignature(authentication, part.value('secret') ?? '', content);
    return {
      authentication,
      send: (_, content) => sign(content),
      print: (question) => {
        refuseOptions(question, 'signature', ['path', 'body']);
        const found = signedPath(config, authentication.name.value, question.path);
        if (typeof found === 'string') throw new NoCredentials(found);
        const { headers } = sign(Buffer.from(question.body ?? '', 'base64'));
        return { method: found.method, url: `${this.url}${found.path}`, headers };
      },
    };
  }

  #pair({ name }: Part, algorithm: string): Promise<TokenKeyPair> {
    const purpose = `${algorithm} ${name}`;
    const pair =
      this.#pairs.get(purpose) ?? makeTokenKey(algorithm, `apikiln-dev-${randomBytes(8).toString('hex')}`);
    this.#pairs.set(purpose, pair);
    return pair;
  }

  #secret(setting: string): string {
    const secret = this.#secrets.get(setting) ?? randomBytes(32).toString('hex');
    this.#secrets.set(setting, secret);
    return secret;
  }

  #unprinted(lines: readonly string[]): string[] {
    const found = lines.filter((line) => !this.#printed.has(line));
    for (const line of found) this.#printed.add(line);
    return found;
  }
}

/** One authentication: the values that the service reads for it, and the settings that it gets. */
class Part {
  constructor(
    private readonly authentication: Authentication,
    private readonly service: Environment,
    private readonly settings: Record<string, string>,
    private readonly lines: string[],
  ) {}

  get name(): string {
    return this.authentication.name.value;
  }

  setting(field: string): string {
    return settingOf(this.authentication, field);
  }

  /** Undefined if the setting is missing, or refers to a missing variable. */
  value(field: string): string | undefined {
    const { problems } = this.service;
    const before = problems.length;
    const value = this.service.text(this.setting(field));
    return problems.length > before ? undefined : value;
  }

  /** Whether the user has set it. An empty second value counts as missing. */
  isSet(setting: string): boolean {
    return (this.service.text(setting) ?? '') !== '';
  }

  set(setting: string, value: string): void {
    this.settings[setting] = value;
  }

  print(line: string): void {
    this.lines.push(line);
  }
}

function refusing(authentication: Authentication, problem: string): Maker {
  const refuse = (): never => {
    throw new NoCredentials(problem);
  };
  return { authentication, problem, print: refuse, send: refuse };
}

function taken(setting: string): string {
  return `${setting} is already set, so dev cannot add a second value. Remove the setting, or send the credentials that you know.`;
}

/** The options of the command line by the fields of a question. */
const options = {
  claims: '--sub and --claim are',
  scopes: '--scope is',
  seconds: '--expires is',
  key: '--key is',
  header: '--header is',
  path: '--path is',
  body: '--body is',
} as const;

/** Throws a NoCredentials for an option that the type does not have. */
function refuseOptions(
  question: CredentialsQuestion,
  type: string,
  known: readonly (keyof typeof options)[],
): void {
  for (const [field, subject] of Object.entries(options)) {
    const name = field as keyof typeof options;
    if (question[name] === undefined || known.includes(name)) continue;
    throw new NoCredentials(`${subject} not for an authentication of the type ${type}.`);
  }
}

function unknown(name: string, names: readonly string[], kind = 'authentication'): NoCredentials {
  if (names.length === 0) return new NoCredentials('The configuration has no authentications.');
  const near = nearest(name, names);
  const hint = near === undefined ? `Write ${listed(names, 'or')}.` : `Did you mean '${near}'?`;
  return new NoCredentials(`Unknown ${kind} '${name}'. ${hint}`);
}

/** The first header as a line, with its configured name. */
function headerOf(headers: Readonly<Record<string, string>>, configured?: string): string {
  const [[name, value] = ['', '']] = Object.entries(headers);
  return `${configured ?? `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`}: ${value}`;
}

function linesOfMissing(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [
    `${listed(names, 'and')} ${names.length === 1 ? 'is' : 'are'} not set: dev uses random values until it stops, and 'apikiln token' prints credentials.`,
  ];
}
