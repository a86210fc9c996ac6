/** Verifies requests signed by a third party (webhooks): an HMAC over the bytes of the body. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Authentication, Identity } from '../authentication/authentication.js';
import { rawBodyBefore } from '../http/raw-body.js';
import type { AccessRequest } from '../http/route.js';
import { readRotatedSetting } from '../server/checked-setting.js';
import type { Environment } from '../server/environment.js';
import { schemes, type SchemeName, type SignatureScheme } from './schemes.js';

export interface SignatureOptions {
  readonly scheme: SchemeName;
  /** The number of configured secrets, any of which may be right: AUTHENTICATION_<NAME>_SECRET, _SECRET_2 and so on. */
  readonly secrets?: number;
}

/** Maximum difference between the signature time and the current time in seconds, in both directions. */
const tolerance = 300;

/** Creates the named authentication. */
export function signature(name: string, options: SignatureOptions): Authentication {
  return new SignedRequests(name, options);
}

/** Rejects all requests until its settings have been read. */
class SignedRequests implements Authentication {
  readonly place: string;
  readonly challenge = 'Signature realm="service"';
  readonly #scheme: SignatureScheme;
  #keys: readonly Buffer[] = [];

  constructor(
    readonly name: string,
    private readonly options: SignatureOptions,
  ) {
    this.#scheme = schemes[options.scheme];
    this.place = `signature ${options.scheme}`;
  }

  readSettings(environment: Environment): void {
    const { keyOf } = this.#scheme;
    const secrets = readRotatedSetting(environment, ['authentication', this.name], 'secret', {
      configured: this.options.secrets ?? 1,
      meaning: 'a secret',
      problemOf: (value) => (keyOf(value) === undefined ? 'is not a secret of this scheme' : undefined),
    });
    this.#keys = secrets.flatMap((secret) => keyOf(secret) ?? []);
  }

  isTried({ request }: AccessRequest): boolean {
    return request.headers[this.#scheme.header] !== undefined;
  }

  /** Throws a ServiceError: 413, or 415 for multipart/form-data. */
  async identify(access: AccessRequest): Promise<Identity> {
    const { request } = access;
    // A body that is too large gets status 413, whether signed or not.
    const bytes = await rawBodyBefore(access);
    const signed = this.#scheme.read(request.headers);
    if (signed === undefined || signed.signatures.length === 0) return 'malformed';
    if (!this.isRight(signed.signatures, signed.prefix, bytes)) return 'signature';
    const { id, timestamp } = signed;
    const age = timestamp === null ? 0 : Date.now() / 1000 - timestamp;
    if (Math.abs(age) > tolerance) return age > 0 ? 'too-old' : 'not-yet-valid';
    return { sub: this.name, id, timestamp };
  }

  /** All secrets are compared with all signatures: otherwise the time would reveal which one matched. */
  private isRight(signatures: readonly Buffer[], prefix: string, body: Buffer): boolean {
    const expected = this.#keys.map((key) => createHmac('sha256', key).update(prefix).update(body).digest());
    const matches = expected.flatMap((one) => signatures.filter((found) => isSame(one, found)));
    return matches.length > 0;
  }
}

function isSame(expected: Buffer, found: Buffer): boolean {
  return expected.length === found.length && timingSafeEqual(expected, found);
}
