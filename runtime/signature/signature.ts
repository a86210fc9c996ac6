/** Verifies requests signed by a third party (webhooks): an HMAC over the bytes of the body. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Authentication } from '../authentication/authentication.js';
import type { JsonObject } from '../handler/json.js';
import { rawBodyBefore } from '../http/raw-body.js';
import type { AccessRequest } from '../http/route.js';
import { readCheckedSetting } from '../server/checked-setting.js';
import type { Environment } from '../server/environment.js';
import { schemes, type SchemeName, type SignatureScheme } from './schemes.js';

export interface SignatureOptions {
  readonly scheme: SchemeName;
  /** The number of secrets, any of which may be correct: AUTHENTICATION_<NAME>_SECRET, _SECRET_2 and so on. */
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
    const { secrets = 1 } = this.options;
    this.#keys = Array.from({ length: secrets }, (_, index) => {
      const field = index === 0 ? 'secret' : `secret_${index + 1}`;
      const secret = readCheckedSetting(environment, ['authentication', this.name], field, {
        meaning: 'a secret',
        problemOf: (value) => (keyOf(value) === undefined ? 'is not a secret of this scheme' : undefined),
      });
      return (secret === undefined ? undefined : keyOf(secret)) ?? [];
    }).flat();
  }

  isTried({ request }: AccessRequest): boolean {
    return request.headers[this.#scheme.header] !== undefined;
  }

  /** Throws a ServiceError: 413 if the body is too large, 415 for multipart/form-data. */
  async identify(access: AccessRequest): Promise<JsonObject | undefined> {
    const { request } = access;
    // A body that is too large gets status 413, whether signed or not.
    const bytes = await rawBodyBefore(access);
    const signed = this.#scheme.read(request.headers);
    if (signed === undefined || !this.isRight(signed.signatures, signed.prefix, bytes)) return undefined;
    const { id, timestamp } = signed;
    const isNow = timestamp === null || Math.abs(Date.now() / 1000 - timestamp) <= tolerance;
    return isNow ? { sub: this.name, id, timestamp } : undefined;
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
