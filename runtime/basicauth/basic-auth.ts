/** HTTP Basic authentication with a single account (RFC 7617). Stateless: every request sends its credentials. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Authentication, Identity } from '../authentication/authentication.js';
import { SendingPages } from '../authentication/sending-pages.js';
import type { JsonObject } from '../handler/json.js';
import type { AccessRequest } from '../http/route.js';
import { readCheckedSetting, readRotatedSetting } from '../server/checked-setting.js';
import type { Environment } from '../server/environment.js';
import { basicChallenge, basicPlace, pairOf, userIn } from './basic-place.js';
import { problemOfCredential } from './basic-credential.js';

/** Creates the authentication of that name. Its account is a setting of the service: AUTHENTICATION_<NAME>_USER and _PASSWORD, and _PASSWORD_2 while the password is replaced. */
export function basicAuth(name: string): BasicAuth {
  return new BasicAuth(name);
}

const scheme = /^basic +/i;

/** Rejects all credentials until its settings have been read. */
export class BasicAuth implements Authentication {
  readonly place = basicPlace.name;
  readonly challenge = basicChallenge;
  /** The digests of the credentials, one for each password. */
  private expected: readonly Buffer[] = [];
  private caller: JsonObject = {};
  private userDigest = digest('');
  private readonly pages = new SendingPages();

  constructor(readonly name: string) {}

  readSettings(environment: Environment): void {
    this.pages.readSettings(environment);
    const setting = ['authentication', this.name] as const;
    const user = readCheckedSetting(environment, setting, 'user', {
      isSecret: false,
      problemOf: (value) => problemOfCredential('user', value),
    });
    const passwords = readRotatedSetting(environment, setting, 'password', {
      problemOf: (value) => problemOfCredential('password', value),
    });
    if (user === undefined) return;
    this.caller = { sub: user };
    this.userDigest = digest(user.normalize('NFC'));
    // The section on charset: clients send Unicode Normalization Form C, as UTF-8.
    environment.addName(user);
    const tokens = passwords.map((password) =>
      Buffer.from(`${user}:${password}`.normalize('NFC')).toString('base64'),
    );
    environment.secrets.push(...tokens);
    this.expected = tokens.map(digest);
  }

  isTried(request: AccessRequest): boolean {
    return basicPlace.isTried(request);
  }

  partsOf(request: AccessRequest): { readonly user: string | null } {
    return { user: userIn(request) };
  }

  /**
   * Compares credentials in encoded form. There is only one correct encoding, so invalid Base64, invalid UTF-8 and several parts are
   * rejected without decoding. Digests have the same length for any input. Throws a ServiceError 403 for a page of another origin.
   */
  identify(access: AccessRequest): Identity {
    this.pages.refuseOthers(access);
    const token = (access.request.headers.authorization ?? '').replace(scheme, '');
    const given = digest(token);
    // All are compared: otherwise the time would reveal which one is right.
    const right = this.expected.filter((one) => timingSafeEqual(given, one));
    if (right.length > 0) return this.caller;
    // Decoded for the reason alone. A wrong password takes as long as an unknown user.
    const [user] = pairOf(token) ?? [];
    const isKnown = timingSafeEqual(digest(user ?? ''), this.userDigest);
    if (user === undefined) return 'malformed';
    return isKnown ? 'wrong-password' : 'unknown-account';
  }
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
