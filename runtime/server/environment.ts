/** Reads environment variables, and the `.env` file for those that are not set. It collects all errors in them. */
import { readEnvFile, type EnvFile, type EnvText } from './env-file.js';
import type { EnvReference } from './environment-reference.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** A part of the service with its own settings. */
export interface SettingsReader {
  /** Reads the settings. Errors are added to the problems of the environment. */
  readSettings(environment: Environment): void;
}

/** Reads settings. A wrong value is recorded as a problem, and its default is used. */
export class Environment {
  /** One sentence each, without values that may be secret. */
  readonly problems: string[] = [];
  /** Every value that was read as a secret. */
  readonly secrets: string[] = [];
  /** Names of users, databases, datasources and kinds of databases, which logs are full of. */
  private readonly names = new Set(['postgres', 'postgresql', 'mysql', 'mariadb']);
  private readonly file: EnvFile;

  constructor(
    private readonly variables: Variables,
    envFile: string,
  ) {
    this.file = readEnvFile(envFile);
    this.problems.push(...this.file.problems);
  }

  /**
   * The value of a setting; undefined if it is not set. Environment variables are used literally; in the file, references are resolved
   * (decisions 1.5). `field` is the name in the configuration, for messages.
   */
  text(name: string, field?: string): string | undefined {
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

  /** Marks a value as a name: it is only secret where it is a password. */
  addName(name: string | undefined): void {
    if (name !== undefined) this.names.add(name);
  }

  /**
   * Strings that logs must not contain. A password that is also a name (`postgres`) is only hidden where it is a password: stars in place of the
   * name would hide nothing, and reveal the password.
   */
  get hidden(): string[] {
    return this.secrets.flatMap((secret) =>
      this.names.has(secret) ? [`:${secret}@`, `password=${secret}`] : [secret],
    );
  }

  /** A whole number; the default when it is not set or empty. */
  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name)?.trim() ?? '';
    if (text === '') return fallback;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    this.problems.push(`${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}`);
    return fallback;
  }

  /** One of several words, in any letter case; the default if it is not set or empty. */
  oneOf<Word extends string>(name: string, words: readonly Word[], fallback: Word): Word {
    const text = this.text(name)?.trim() ?? '';
    if (text === '') return fallback;
    const found = words.find((word) => word === text.toLowerCase());
    if (found === undefined)
      this.problems.push(`${name} must be one of ${words.join(', ')}, not ${JSON.stringify(text)}`);
    return found ?? fallback;
  }

  /** `inside` are the settings that are being resolved, to detect cycles. */
  private resolve(text: EnvText, user: string, inside: readonly string[]): string {
    return text.map((part) => (typeof part === 'string' ? part : this.follow(part, user, inside))).join('');
  }

  private follow({ name, fallback }: EnvReference, user: string, inside: readonly string[]): string {
    const literal = this.variables[name];
    if (literal !== undefined) return literal;
    const text = this.file.values.get(name);
    if (text && !inside.includes(name)) return this.resolve(text, user, [...inside, name]);
    if (fallback === undefined)
      this.problems.push(`The environment variable ${name} is not set; ${user} refers to it`);
    return fallback ?? '';
  }
}

/** The service cannot start. Each problem is one sentence for the operator, without secrets. */
export class StartError extends Error {
  override readonly name = 'StartError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}
