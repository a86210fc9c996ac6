/** Webhook signature schemes: the headers that contain signatures, and the bytes that are signed. */
import type { IncomingHttpHeaders } from 'node:http';

/** A signed request, before its body is read. */
export interface Signed {
  /** The signatures; any of them may be correct. */
  readonly signatures: readonly Buffer[];
  /** The signed bytes that precede the body. */
  readonly prefix: string;
  /** The message id; null if it is not signed. */
  readonly id: string | null;
  /** Seconds since 1970. */
  readonly timestamp: number | null;
}

export interface SignatureScheme {
  /** The name of the header with the signatures, in lower case. */
  readonly header: string;
  /** Reads the headers; undefined if a signature of this scheme, or a part that it covers, is missing. */
  readonly read: (headers: IncomingHttpHeaders) => Signed | undefined;
  /** The bytes of a secret; undefined if it is not a valid secret of this scheme. */
  readonly keyOf: (secret: string) => Buffer | undefined;
}

export type SchemeName = 'github' | 'stripe' | 'slack' | 'standard-webhooks';

const plainKey = (secret: string): Buffer | undefined => (secret === '' ? undefined : Buffer.from(secret));

export const schemes: Readonly<Record<SchemeName, SignatureScheme>> = {
  github: {
    header: 'x-hub-signature-256',
    read(headers) {
      const signatures = hexSignatures([text(headers, 'x-hub-signature-256')], 'sha256=');
      return { signatures, prefix: '', id: null, timestamp: null };
    },
    keyOf: plainKey,
  },
  stripe: {
    header: 'stripe-signature',
    read(headers) {
      const parts = text(headers, 'stripe-signature').split(',');
      const [time, ...others] = parts.filter((part) => part.startsWith('t=')).map((part) => part.slice(2));
      if (time === undefined || others.length > 0) return undefined;
      return timed(time, hexSignatures(parts, 'v1='), `${time}.`);
    },
    keyOf: plainKey,
  },
  slack: {
    header: 'x-slack-signature',
    read(headers) {
      const time = text(headers, 'x-slack-request-timestamp');
      return timed(time, hexSignatures([text(headers, 'x-slack-signature')], 'v0='), `v0:${time}:`);
    },
    keyOf: plainKey,
  },
  'standard-webhooks': {
    header: 'webhook-signature',
    read(headers) {
      const [id, time] = [text(headers, 'webhook-id'), text(headers, 'webhook-timestamp')];
      const signatures = text(headers, 'webhook-signature')
        .split(' ')
        .flatMap((part) => (part.startsWith('v1,') ? bytes(part.slice(3), 'base64') : []));
      // If the id contained a dot, the same bytes could represent a different id and time.
      return id === '' || id.includes('.') ? undefined : timed(time, signatures, `${id}.${time}.`, id);
    },
    keyOf(secret) {
      const [key] = bytes(secret.replace(/^whsec_/, ''), 'base64');
      return key !== undefined && key.length >= 16 ? key : undefined;
    },
  },
};

function timed(
  time: string,
  signatures: readonly Buffer[],
  prefix: string,
  id: string | null = null,
): Signed | undefined {
  return /^\d{1,12}$/.test(time) ? { signatures, prefix, id, timestamp: Number(time) } : undefined;
}

function text(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

/** The signatures with the given prefix; other prefixes mark other versions. */
function hexSignatures(parts: readonly string[], word: string): Buffer[] {
  return parts.flatMap((part) => (part.startsWith(word) ? bytes(part.slice(word.length), 'hex') : []));
}

/** Decodes a string; empty if it is not the canonical form of that encoding. */
function bytes(written: string, encoding: 'hex' | 'base64'): Buffer[] {
  const found = Buffer.from(written, encoding);
  return written !== '' && found.toString(encoding) === written ? [found] : [];
}
