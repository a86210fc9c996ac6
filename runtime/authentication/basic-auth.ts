/** HTTP Basic authentication with one account (RFC 7617; decisions 9.4). Stateless: every request brings its credentials. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Environment, SettingsReader } from '../server/environment.js';
import { upperSnake } from '../server/upper-snake.js';
import type { Authentication } from '../http/route.js';
import { problemOfCredential, type CredentialField } from './basic-credential.js';
import type { IncomingMessage } from 'node:http';
import type { Log } from '../server/log.js';

/** The authentication of that name; its account is a setting of the service, AUTHENTICATION_<NAME>_USER and _PASSWORD. */
export function basicAuth(name: string): BasicAuth {
  return new BasicAuth(name);
}

const scheme = /^basic +/i;

/** Admits nobody before its settings have been read. */
export class BasicAuth implements Authentication, SettingsReader {
  readonly challenge = 'Basic realm="service", charset="UTF-8"';
  private expected: Buffer | undefined;

  constructor(readonly name: string) {}

  readSettings(environment: Environment): void {
    const user = this.credential('user', environment);
    const password = this.credential('password', environment);
    if (user === undefined || password === undefined) return;
    // The section on charset: clients send Unicode Normalization Form C, as UTF-8.
    environment.addName(user);
    const token = Buffer.from(`${user}:${password}`.normalize('NFC')).toString('base64');
    environment.secrets.push(token);
    this.expected = digest(token);
  }

  /**
   * The credentials are compared as they are encoded: there is one right way to write them, so what is no Base64, no UTF-8, or
   * has more than one part is wrong without being taken apart. Digests are equally long, whatever was sent.
   */
  admits(authorization = ''): boolean {
    const token = scheme.test(authorization) ? authorization.replace(scheme, '') : '';
    return this.expected !== undefined && timingSafeEqual(digest(token), this.expected);
  }

  refused(request: IncomingMessage, log: Log): void {
    const logins = failedLogins.get(log) ?? new FailedLogins(log);
    failedLogins.set(log, logins);
    logins.refused(request);
  }

  private credential(field: CredentialField, environment: Environment): string | undefined {
    const variable = `AUTHENTICATION_${upperSnake(this.name)}_${field.toUpperCase()}`;
    const meaning = `the field ${field} of the authentication ${this.name}`;
    const known = environment.problems.length;
    const value =
      field === 'password' ? environment.secret(variable, meaning) : environment.text(variable, meaning);
    // A reference that leads nowhere has been told of.
    if (environment.problems.length > known) return undefined;
    const problem = value === undefined ? 'is not set' : problemOfCredential(field, value);
    if (problem !== undefined) environment.problems.push(`${variable} ${problem}: it is ${meaning}`);
    return value;
  }
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** Milliseconds between two entries. */
const interval = 60_000;
/** Addresses that one entry names. */
const mostNamed = 10;

/** Logs credentials that were refused: the first ones at once, of many only how many they were. Never what was sent. */
class FailedLogins {
  private count = 0;
  private readonly addresses = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly log: Log) {}

  /** A request without credentials is only asked for them. */
  refused({ headers, socket }: IncomingMessage): void {
    if (headers.authorization === undefined) return;
    this.count += 1;
    if (this.addresses.size < mostNamed && socket.remoteAddress !== undefined)
      this.addresses.add(socket.remoteAddress);
    if (this.timer === undefined) this.tell();
  }

  private tell(): void {
    this.timer = undefined;
    if (this.count === 0) return;
    this.log.warn({ count: this.count, addresses: [...this.addresses] }, 'credentials were refused');
    this.count = 0;
    this.addresses.clear();
    this.timer = setTimeout(() => {
      this.tell();
    }, interval).unref();
  }
}

const failedLogins = new WeakMap<Log, FailedLogins>();
