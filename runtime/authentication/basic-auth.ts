/** HTTP Basic authentication with one account (RFC 7617). It is stateless: every request sends its credentials. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Environment, SettingsReader } from '../server/environment.js';
import { upperSnake } from '../server/upper-snake.js';
import type { Authentication } from '../http/route.js';
import { problemOfCredential, type CredentialField } from './basic-credential.js';
import type { IncomingMessage } from 'node:http';
import type { Log } from '../server/log.js';

/** Creates the authentication of that name. Its account is a setting of the service: AUTHENTICATION_<NAME>_USER and _PASSWORD. */
export function basicAuth(name: string): BasicAuth {
  return new BasicAuth(name);
}

const scheme = /^basic +/i;

/** Accepts no credentials before its settings have been read. */
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
   * Credentials are compared in their encoded form. There is one correct encoding, so invalid Base64, invalid UTF-8 and several parts are
   * wrong without decoding. Digests have the same length for any input.
   */
  accepts(authorization = ''): boolean {
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
    // An unresolved reference has been reported.
    if (environment.problems.length > known) return undefined;
    const problem = value === undefined ? 'is not set' : problemOfCredential(field, value);
    if (problem !== undefined) environment.problems.push(`${variable} ${problem}: it is ${meaning}`);
    return value;
  }
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** Milliseconds between two log entries. */
const interval = 60_000;
/** Maximum number of addresses in one entry. */
const maxNamed = 10;

/** Logs refused credentials: the first at once, later ones as a count. The credentials are never logged. */
class FailedLogins {
  private count = 0;
  private readonly addresses = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly log: Log) {}

  /** A request without credentials is not logged. */
  refused({ headers, socket }: IncomingMessage): void {
    if (headers.authorization === undefined) return;
    this.count += 1;
    if (this.addresses.size < maxNamed && socket.remoteAddress !== undefined)
      this.addresses.add(socket.remoteAddress);
    if (this.timer === undefined) this.logRefused();
  }

  private logRefused(): void {
    this.timer = undefined;
    if (this.count === 0) return;
    this.log.warn({ count: this.count, addresses: [...this.addresses] }, 'credentials were refused');
    this.count = 0;
    this.addresses.clear();
    this.timer = setTimeout(() => {
      this.logRefused();
    }, interval).unref();
  }
}

const failedLogins = new WeakMap<Log, FailedLogins>();
