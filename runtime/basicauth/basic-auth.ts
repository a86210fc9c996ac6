/** HTTP Basic authentication with one account (RFC 7617). It is stateless: every request sends its credentials. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Authentication } from '../authentication/authentication.js';
import { SendingPages } from '../authentication/sending-pages.js';
import type { JsonObject } from '../handler/json.js';
import type { AccessRequest } from '../http/route.js';
import { readCheckedSetting } from '../server/checked-setting.js';
import type { Environment } from '../server/environment.js';
import { basicChallenge, basicPlace } from './basic-place.js';
import { problemOfCredential, type CredentialField } from './basic-credential.js';

/** Creates the authentication of that name. Its account is a setting of the service: AUTHENTICATION_<NAME>_USER and _PASSWORD. */
export function basicAuth(name: string): BasicAuth {
  return new BasicAuth(name);
}

const scheme = /^basic +/i;

/** Accepts no credentials before its settings have been read. */
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
    // The section on charset: clients send Unicode Normalization Form C, as UTF-8.
    environment.addName(user);
    const token = Buffer.from(`${user}:${password}`.normalize('NFC')).toString('base64');
    environment.secrets.push(token);
    this.expected = digest(token);
  }

  isTried(request: AccessRequest): boolean {
    return basicPlace.isTried(request);
  }

  /**
   * Credentials are compared in their encoded form. There is one correct encoding, so invalid Base64, invalid UTF-8 and several parts are
   * wrong without decoding. Digests have the same length for any input. Throws a ServiceError 403 for a page of another origin.
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
