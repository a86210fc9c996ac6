/** The headers of signed messages: requests to third parties, and requests that the tester sends in the role of a third party. */
import { createHmac } from 'node:crypto';
import type { SchemeName } from './schemes.js';

export interface SignedMessage {
  /** The bytes of the secret. */
  readonly key: Buffer;
  /** The message id, for schemes that use one. */
  readonly id: string;
  readonly content: readonly Buffer[];
}

/** The headers of a scheme, with the current time. */
export function signedHeaders(
  scheme: SchemeName,
  { key, id, content }: SignedMessage,
): Record<string, string> {
  const time = String(Math.floor(Date.now() / 1000));
  const digest = (prefix: string): Buffer => {
    const hmac = createHmac('sha256', key).update(prefix);
    for (const chunk of content) hmac.update(chunk);
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
