/** Signs requests to third parties in the schemes of webhooks: an HMAC over the bytes that are sent. */
import { createHash, randomUUID } from 'node:crypto';
import type { Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { readCheckedSetting } from '../server/checked-setting.js';
import type { Environment } from '../server/environment.js';
import { schemes, type SchemeName } from '../signature/schemes.js';
import { signedHeaders } from '../signature/signed-headers.js';
import type { Outgoing, Sign } from './http-exchange.js';
import { headerIn } from './message.js';
import type { Signer } from './parts.js';

/** Signs the requests of a datasource with the secret from its settings. */
export function signer(scheme: SchemeName): Signer {
  let key: Buffer | undefined;
  return {
    readSettings(datasource: string, environment: Environment): void {
      const { keyOf } = schemes[scheme];
      const secret = readCheckedSetting(environment, ['datasource', datasource], 'signature.secret', {
        problemOf(value) {
          if (value === '') return 'is not set';
          return keyOf(value) === undefined ? 'is not a secret of this scheme' : undefined;
        },
      });
      key = secret === undefined ? undefined : keyOf(secret);
    },
    ofMessage() {
      if (key === undefined) throw new Error('The settings of the signature have not been read.');
      return ofMessage(scheme, key);
    },
  };
}

/** Signs one request with the secret of that request. Throws a ServiceError 400 for a value that is not a secret of the scheme. */
export function signed(scheme: SchemeName, secret: Json | undefined): Sign {
  const key = typeof secret === 'string' ? schemes[scheme].keyOf(secret) : undefined;
  if (key === undefined)
    throw new ServiceError(400, `A value is not a secret for signatures of the scheme ${scheme}`);
  return ofMessage(scheme, key);
}

/** Creates a signature in which all attempts of a message have the same id. */
function ofMessage(scheme: SchemeName, key: Buffer): Sign {
  let id: string | undefined;
  return (outgoing) => {
    id ??= messageId(outgoing);
    return signedHeaders(scheme, { key, id, content: outgoing.content ?? [] });
  };
}

/** The message id. Derived from the `Idempotency-Key` if present, so that the receiver processes a repeated message only once. */
function messageId({ headers }: Outgoing): string {
  const key = headerIn(headers, 'idempotency-key');
  if (key === undefined) return `msg_${randomUUID()}`;
  // The id must not contain a dot, which separates it from the rest of the signed string.
  return /^[\w-]+$/.test(key) ? key : `msg_${createHash('sha256').update(key).digest('hex')}`;
}
