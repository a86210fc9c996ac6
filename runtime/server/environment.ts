/** Reads environment variables, falls back to the `.env` file, and collects all errors. */
import { type EnvReference, referencesIn } from './environment-reference.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** A part of the service with its own settings. */
export interface SettingsReader {
  /** Reads the settings. Errors are added to the problems of the environment. */
  readSettings(environment: Environment): void;
}

/** Names of settings, without their values. */
export interface SettingNames {
  /** Whether the setting has a non-empty value. */
  readonly isSet: (name: string) => boolean;
  /** Sorted names of settings of datasources and authentications that are set but never read. */
  readonly unread: readonly string[];
  /** Sorted names of settings of datasources and authentications that are read but not set. */
  readonly missing: readonly string[];
}

const ofResource = /^(?:DATASOURCE|AUTHENTICATION)_/;

/** Variables that Kubernetes and Docker set in a container for each service with a matching name: `DATASOURCE_X_PORT_5432_TCP_ADDR`. */
const ofServiceLink = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;

/** Reads settings. An invalid value is recorded as a problem, and the default is used. */
export class Environment {
  /** One sentence for each problem, without values that may be secret. */
  readonly problems: string[] = [];
  /** Every value that was read as a secret. */
  readonly secrets: string[] = [];
  /** Names of users, databases, datasources and database systems, which are frequent in logs. */
  private readonly names = new Set(['postgres', 'postgresql', 'mysql', 'mariadb']);
  private readonly file: EnvFile;
  private readonly read = new Set<string>();

  constructor(
    private readonly variables: Variables,
    envFile: string,
  ) {
    this.file = readEnvFile(envFile);
    this.problems.push(...this.file.problems);
  }

  /**
   * The value of a setting; undefined if not set. Environment variables are used literally; references in the file are resolved when
   * the service starts. `field` is the name in the configuration, for messages.
   */
  text(name: string, field?: string): string | undefined {
    this.read.add(name);
    const literal = this.variables[name];
    if (literal !== undefined) return literal;
    const text = this.file.values.get(name);
    return text && this.resolve(text, field === undefined ? name : `${name}, ${field},`, [name]);
  }

  /** A value that must not be logged. */
  secret(name: string, field?: string): string | undefined {
    const value = this.text(name, field);
    if (value !== undefined) this.secrets.push(value);
    return value;
  }

  /** Marks a value as a name, which is only hidden where it is used as a password. */
  addName(name: string | undefined): void {
    if (name !== undefined) this.names.add(name);
  }

  /**
   * Strings that must not appear in logs. A password that is also a name (`postgres`) is only hidden where it is used as a password:
   * masking the name everywhere would reveal the password.
   */
  get hidden(): string[] {
    return this.secrets.flatMap((secret) =>
      this.names.has(secret) ? [`:${secret}@`, `password=${secret}`] : [secret],
    );
  }

  /** The names of the settings. Call after all settings have been read. */
  get settingNames(): SettingNames {
    const set = [...Object.keys(this.variables), ...this.file.values.keys()];
    // A value overridden by the environment may contain the only reference to a variable.
    const references = [...this.file.values.values()].flat();
    const referred = new Set(references.map((part) => (typeof part === 'string' ? '' : part.name)));
    const unread = set.filter(
      (name) =>
        ofResource.test(name) && !this.read.has(name) && !referred.has(name) && !this.isServiceLink(name),
    );
    const missing = [...this.read].filter(
      (name) => ofResource.test(name) && this.variables[name] === undefined,
    );
    return {
      isSet: (name) => (this.variables[name] ?? this.file.values.get(name) ?? '').length > 0,
      unread: [...new Set(unread)].sort(),
      missing: missing.sort(),
    };
  }

  private isServiceLink(name: string): boolean {
    return (
      ofServiceLink.test(name) || (name.endsWith('_PORT') && /^\w+:\/\//.test(this.variables[name] ?? ''))
    );
  }

  /** An integer; the default if not set or empty. */
  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name)?.trim() ?? '';
    if (text === '') return fallback;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    this.problems.push(`${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}`);
    return fallback;
  }

  /** One of the given words, in any letter case; the default if not set or empty. */
  oneOf<Word extends string>(name: string, words: readonly Word[], fallback: Word): Word {
    const text = this.text(name)?.trim() ?? '';
    if (text === '') return fallback;
    const found = words.find((word) => word === text.toLowerCase());
    if (found === undefined)
      this.problems.push(`${name} must be one of ${words.join(', ')}, not ${JSON.stringify(text)}`);
    return found ?? fallback;
  }

  /** `inside` contains the settings that are being resolved, to detect cycles. */
  private resolve(text: EnvText, user: string, inside: readonly string[]): string {
    return text.map((part) => (typeof part === 'string' ? part : this.follow(part, user, inside))).join('');
  }

  private follow({ name, fallback }: EnvReference, user: string, inside: readonly string[]): string {
    this.read.add(name);
    const literal = this.variables[name];
    if (literal !== undefined) return literal;
    const text = this.file.values.get(name);
    if (text && !inside.includes(name)) return this.resolve(text, user, [...inside, name]);
    if (fallback === undefined)
      this.problems.push(`The environment variable ${name} is not set; ${user} refers to it`);
    return fallback ?? '';
  }
}

/** An error that prevents the service from starting. Each problem is one sentence for the operator, without secrets. */
export class StartError extends Error {
  override readonly name = 'StartError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/** A value with unresolved references. */
type EnvText = readonly (string | EnvReference)[];

/** The content of the `.env` file. */
interface EnvFile {
  /** The last line wins if a name is repeated. */
  readonly values: ReadonlyMap<string, EnvText>;
  /** One sentence for each invalid line, without its content. */
  readonly problems: readonly string[];
}

/**
 * Reads the text of the `.env` file of the service; never throws. It has lines of `NAME=value`, empty lines, and comments that begin with `#`.
 *
 *     A=jdbc:mysql://db:3306/news?ssl=true   # bare: without spaces around it; ends at a `#` after a space
 *     B='a $ and a "'                        # single quotes: as it is; no single quote, no line break
 *     C="line\n${HOST:localhost}"            # double quotes: any characters, with escapes
 *
 * - Bare and double-quoted values may contain references `${NAME}` and `${NAME:default}` to environment variables.
 * - Simple bare values mean the same to `docker --env-file`, dotenv and a shell.
 * - Escapes in double quotes: `\\`, `\"`, `\$` (a dollar sign that begins no reference), `\n`, `\r`, `\t`, and `\uXXXX` (a UTF-16 unit).
 *   Every other character is itself. The default of a reference has the same escapes and ends at the first `}`.
 *
 * To write a value: a value of only `A-Z a-z 0-9 _ . / : @ % + , = ? & ~ -` can be bare, also an empty one. Put any other into double
 * quotes, and escape `\`, `"`, `$` (unless it begins a reference), control characters, line and paragraph separators (U+2028, U+2029), U+FEFF
 * and unpaired surrogates.
 */
export function readEnvFile(text: string): EnvFile {
  const values = new Map<string, EnvText>();
  const problems: string[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const entry = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=(.*)$/s.exec(line);
    const value = entry && readValue((entry[2] ?? '').trim());
    if (value) values.set(entry[1] ?? '', value);
    else
      problems.push(
        `.env, line ${index + 1}: ${entry ? 'the quotes do not match' : 'not of the form NAME=value'}`,
      );
  }
  return { values, problems };
}

const singleQuoted = /^'([^']*)'\s*(?:#.*)?$/s;
const doubleQuoted = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/s;
const comment = /(?:^|\s)#.*$/s;

function readValue(text: string): EnvText | undefined {
  if (text.startsWith("'")) {
    const quoted = singleQuoted.exec(text);
    return quoted ? [quoted[1] ?? ''] : undefined;
  }
  if (text.startsWith('"')) {
    const quoted = doubleQuoted.exec(text);
    return quoted ? split(quoted[1] ?? '', unescape) : undefined;
  }
  return split(text.replace(comment, '').trimEnd(), (part) => part);
}

/** Splits a value into plain strings and references; `plain` returns the meaning of a plain string. */
function split(text: string, plain: (text: string) => string): EnvText {
  const parts: (string | EnvReference)[] = [];
  let start = 0;
  const addPlain = (end: number) => {
    if (end > start) parts.push(plain(text.slice(start, end)));
  };
  const isPlain = (index: number): boolean => plain === unescape && isEscaped(text, index);
  for (const found of referencesIn(text, isPlain)) {
    addPlain(found.start);
    const { name, fallback } = found;
    parts.push({ name, fallback: fallback === undefined ? undefined : plain(fallback) });
    start = found.end;
  }
  addPlain(text.length);
  return parts;
}

/** Whether an odd number of backslashes precedes the character. */
function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text[index - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function unescape(text: string): string {
  return text.replace(
    /\\(?:u([0-9a-fA-F]{4})|(.))/gs,
    (_all, unit: string | undefined, character: string | undefined) =>
      unit === undefined
        ? (escapes[character ?? ''] ?? character ?? '')
        : String.fromCharCode(parseInt(unit, 16)),
  );
}
