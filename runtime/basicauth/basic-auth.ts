/** HTTP Basic authentication with a single account (RFC 7617). Stateless: every request sends its credentials. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Authentication } from '../authentication/authentication.js';
import { SendingPages } from '../authentication/sending-pages.js';
import type { JsonObject } from '../handler/json.js';
import type { AccessRequest } from '../http/route.js';
import { readCheckedSetting } from '../server/checked-setting.js';
import type { Environment } from '../server/environment.js';
import { basicChallenge, basicPlace } from './basic-place.js';
import { problemOfCredential, type CredentialField } from './basic-credential.js';

/** Creates the named authentication. The account is set by AUTHENTICATION_<NAME>_USER and _PASSWORD. */
export function basicAuth(name: string): BasicAuth {
  return new BasicAuth(name);
}

const scheme = /^basic +/i;

/** Rejects all credentials until its settings have been read. */
export class BasicAuth implements Authentication {
  readonly place = basicPlace.name;
  readonly challenge = basicChallenge;
  private expected: Buffer | undefined;
  private user = '';
  private readonly pages = new SendingPages();

  constructor(readonly name: string) {}

  readSettings(environment: Environment): void {
    this.pages.readSettings(environment);
    const user = this.credential('user', environment);
    const password = this.credential('password', environment);
    if (user === undefined || password === undefined) return;
    this.user = user;
    // Clients send Unicode Normalization Form C in UTF-8 (RFC 7617, section 2.1).
    environment.addName(user);
    const token = Buffer.from(`${user}:${password}`.normalize('NFC')).toString('base64');
    environment.secrets.push(token);
    this.expected = digest(token);
  }

  isTried(request: AccessRequest): boolean {
    return basicPlace.isTried(request);
  }

  /**
   * Compares credentials in encoded form. There is only one correct encoding, so invalid Base64, invalid UTF-8 and several parts are
   * rejected without decoding. Digests have the same length for any input. Throws a ServiceError 403 for a page of another origin.
   */
  identify(access: AccessRequest): JsonObject | undefined {
    this.pages.refuseOthers(access);
    const token = digest((access.request.headers.authorization ?? '').replace(scheme, ''));
    const isRight = this.expected !== undefined && timingSafeEqual(token, this.expected);
    return isRight ? { sub: this.user } : undefined;
  }

  private credential(field: CredentialField, environment: Environment): string | undefined {
    return readCheckedSetting(environment, ['authentication', this.name], field, {
      isSecret: field === 'password',
      problemOf: (value) => problemOfCredential(field, value),
    });
  }
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
