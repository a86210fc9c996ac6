/** Encrypts the content of rows that have a secret in it (AES-256-GCM), with the settings OUTBOX_KEY and OUTBOX_KEY_2. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Environment, SettingsReader } from '../server/environment.js';

/** The columns of a row that may contain secrets, and the id to which their encrypted form is bound. */
export interface RowContent {
  readonly id: string;
  readonly url: string;
  /** JSON, or the encrypted form of all three columns. */
  readonly header: string;
  readonly content: string | null;
}

const algorithm = 'aes-256-gcm';
/** Minimum bytes of a key. */
const shortestKey = 32;
/** Bytes of an initialization vector and of an authentication tag, as GCM recommends. */
const vectorBytes = 12;
const tagBytes = 16;

/** The first character of a plain header is a brace, because it is a JSON object. */
const form = /^1\.([\w-]+)$/;

/** No key opens the row. */
export class SealedRow extends Error {}

export class RowCipher implements SettingsReader {
  /** The first one encrypts; all decrypt. */
  #keys: readonly Buffer[] = [];

  /** `isNeeded`: whether the service stores encrypted rows. */
  constructor(private readonly isNeeded: boolean) {}

  readSettings(environment: Environment): void {
    const texts = ['OUTBOX_KEY', 'OUTBOX_KEY_2'].map((name) => {
      const text = environment.secret(name) ?? '';
      if (text !== '' && Buffer.byteLength(text) < shortestKey)
        environment.problems.push(`${name} is shorter than ${shortestKey} bytes`);
      return text;
    });
    if (this.isNeeded && texts[0] === '')
      environment.problems.push(
        'OUTBOX_KEY is not set: it encrypts results of RANDOM, HASH and TOKEN in the outbox',
      );
    this.#keys = texts.filter((text) => text !== '').map(keyOf);
  }

  /** The row with its content encrypted. */
  seal<Row extends RowContent>(row: Row): Row {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('OUTBOX_KEY has not been read.');
    const { id, url, header, content } = row;
    const vector = randomBytes(vectorBytes);
    const cipher = createCipheriv(algorithm, key, vector).setAAD(Buffer.from(id));
    const data = [cipher.update(JSON.stringify({ url, header, content }), 'utf8'), cipher.final()];
    const sealed = Buffer.concat([vector, ...data, cipher.getAuthTag()]).toString('base64url');
    return { ...row, url: '', header: `1.${sealed}`, content: null };
  }

  /** The row with its content as it was before `seal`; a plain row is returned unchanged. Throws a SealedRow if no key opens it. */
  open<Row extends RowContent>(row: Row): Row {
    const [, sealed] = form.exec(row.header) ?? [];
    if (sealed === undefined) return row;
    const bytes = Buffer.from(sealed, 'base64url');
    for (const key of this.#keys) {
      const text = decrypted(bytes, key, row.id);
      if (text !== undefined)
        return { ...row, ...(JSON.parse(text) as Pick<RowContent, 'url' | 'header' | 'content'>) };
    }
    throw new SealedRow('no OUTBOX_KEY decrypts it');
  }
}

/** 32 bytes from a setting of any length. */
function keyOf(text: string): Buffer {
  return Buffer.from(hkdfSync('sha256', text, '', 'apikiln outbox', 32));
}

/** Undefined for another key, another row, and changed bytes. */
function decrypted(bytes: Buffer, key: Buffer, id: string): string | undefined {
  const end = bytes.length - tagBytes;
  if (end < vectorBytes) return undefined;
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, vectorBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(id)).setAuthTag(bytes.subarray(end));
  const data = decipher.update(bytes.subarray(vectorBytes, end));
  try {
    return Buffer.concat([data, decipher.final()]).toString();
  } catch {
    return undefined;
  }
}
