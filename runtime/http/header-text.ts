/** The text of a header. */

const beyondAscii = /[\u0080-\u00ff]/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Node decodes headers as Latin-1. Valid UTF-8, which clients send today, is decoded as UTF-8. */
export function decodeHeader(value: string): string {
  if (!beyondAscii.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}
