/** Signs requests to third parties, as receivers of webhooks check them: an HMAC over the bytes that are sent. */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import type { Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import type { Environment } from '../server/environment.js';
import { schemes, type SchemeName } from '../signature/schemes.js';
import type { Outgoing, Sign } from './http-exchange.js';
import { headerIn } from './message.js';
import type { Signer } from './parts.js';
import { readDatasourceSetting } from './setting.js';

/** Signs the requests of a datasource with the secret of its settings. */
export function signer(scheme: SchemeName): Signer {
  let key: Buffer | undefined;
  return {
    readSettings(datasource: string, environment: Environment): void {
      const { keyOf } = schemes[scheme];
      const secret = readDatasourceSetting(environment, datasource, {
        field: 'signature.secret',
        isSecret: true,
        problemOf: (value) => (keyOf(value) === undefined ? 'is not a secret of this scheme' : undefined),
      });
      key = keyOf(secret);
    },
    ofMessage() {
      if (key === undefined) throw new Error('The settings of the signature have not been read.');
      return ofMessage(scheme, key);
    },
  };
}

/** Signs one request with a secret of its own. Throws a ServiceError 400 for what is no secret of the scheme. */
export function signed(scheme: SchemeName, secret: Json | undefined): Sign {
  const key = typeof secret === 'string' ? schemes[scheme].keyOf(secret) : undefined;
  if (key === undefined)
    throw new ServiceError(400, `A value is not a secret for signatures of the scheme ${scheme}`);
  return ofMessage(scheme, key);
}

/** All tries of a message have one id. */
function ofMessage(scheme: SchemeName, key: Buffer): Sign {
  let id: string | undefined;
  return (outgoing) => {
    id ??= messageId(outgoing);
    return signatureOf(scheme, key, id, outgoing);
  };
}

/** The headers of the scheme, with the time of now. */
function signatureOf(
  scheme: SchemeName,
  key: Buffer,
  id: string,
  outgoing: Outgoing,
): Record<string, string> {
  const time = String(Math.floor(Date.now() / 1000));
  const digest = (prefix: string): Buffer => {
    const hmac = createHmac('sha256', key).update(prefix);
    for (const chunk of outgoing.content ?? []) hmac.update(chunk);
    return hmac.digest();
  };
  switch (scheme) {
    case 'github':
      return { 'X-Hub-Signature-256': `sha256=${digest('').toString('hex')}` };
    case 'stripe':
      return { 'Stripe-Signature': `t=${time},v1=${digest(`${time}.`).toString('hex')}` };
    case 'slack':
      return {
        'X-Slack-Request-Timestamp': time,
        'X-Slack-Signature': `v0=${digest(`v0:${time}:`).toString('hex')}`,
      };
    case 'standard-webhooks': {
      const signature = digest(`${id}.${time}.`).toString('base64');
      return { 'Webhook-Id': id, 'Webhook-Timestamp': time, 'Webhook-Signature': `v1,${signature}` };
    }
  }
}

/** Made of its `Idempotency-Key`, if it has one: so a receiver does the work once, however often it is sent. */
function messageId({ headers }: Outgoing): string {
  const key = headerIn(headers, 'idempotency-key');
  if (key === undefined) return `msg_${randomUUID()}`;
  // A dot would end the id.
  return /^[\w-]+$/.test(key) ? key : `msg_${createHash('sha256').update(key).digest('hex')}`;
}
