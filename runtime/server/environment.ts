/** Environment variables over the values of the `.env` file, with all that is wrong with them collected. */
import { readEnvFile, type EnvFile, type EnvReference, type EnvText } from './env-file.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** A part of the service that has settings of its own. */
export interface SettingsReader {
  /** Reads them; what is wrong with one is added to the problems of the environment. */
  readSettings(environment: Environment): void;
}

/** Reads one setting after the other; what is wrong with one is noted, and its default taken. */
export class Environment {
  /** One sentence each; none holds a value that may be a secret. */
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
   * The value of a setting; undefined when it is set nowhere. A real variable is taken literally; in the file,
   * references are resolved (decisions 1.5). `field` says in the configuration's words what the setting is for.
   */
  text(name: string, field?: string): string | undefined {
    const literal = this.variables[name];
    if (literal !== undefined) return literal;
    const text = this.file.values.get(name);
    return text && this.resolve(text, field === undefined ? name : `${name}, ${field},`, [name]);
  }

  /** A value that no log may show. */
  secret(name: string, field: string): string | undefined {
    const value = this.text(name, field);
    if (value !== undefined) this.secrets.push(value);
    return value;
  }

  /** Says of a value that it is a name, and no secret where it stands as one. */
  addName(name: string | undefined): void {
    if (name !== undefined) this.names.add(name);
  }

  /**
   * What no log may show. A password that is a name, too (`postgres`), is hidden only where it stands as a password: stars in place of
   * the name would hide nothing, and tell everybody what the password is.
   */
  get hidden(): string[] {
    return this.secrets.flatMap((secret) =>
      this.names.has(secret) ? [`:${secret}@`, `password=${secret}`] : [secret],
    );
  }

  /** A whole number; the default when it is not set or empty. */
  integer(name: string, fallback: number, least: number, most: number): number {
    const text = this.text(name)?.trim() ?? '';
    if (text === '') return fallback;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= least && value <= most) return value;
    this.problems.push(
      `${name} must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`,
    );
    return fallback;
  }

  /** One of several words, in any letter case; the default when it is not set or empty. */
  oneOf<Word extends string>(name: string, words: readonly Word[], fallback: Word): Word {
    const text = this.text(name)?.trim() ?? '';
    if (text === '') return fallback;
    const found = words.find((word) => word === text.toLowerCase());
    if (found === undefined)
      this.problems.push(`${name} must be one of ${words.join(', ')}, not ${JSON.stringify(text)}`);
    return found ?? fallback;
  }

  /** `inside` are the settings that are being resolved: a reference back to one of them has no end. */
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

/** Each problem is one sentence for the person who starts the service; it holds no secret. */
export class StartError extends Error {
  override readonly name = 'StartError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}
