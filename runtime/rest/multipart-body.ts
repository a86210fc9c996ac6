/** Builds a multipart/form-data body byte by byte (RFC 7578). Libraries change line breaks in values. */
import { randomBytes } from 'node:crypto';
import { textOf, type Json } from '../handler/json.js';
import { UploadedFile } from '../handler/call.js';

/** The body, in pieces. */
export interface MultipartBody {
  readonly contentType: string;
  readonly chunks: readonly Buffer[];
}

/** The parts by name, in order. A null part is omitted. */
export type Parts = Readonly<Record<string, Json | UploadedFile | undefined>>;

/** The body of these parts. */
export function multipartBody(parts: Parts): MultipartBody {
  // Random, so that no value can contain it.
  const boundary = `----part-${randomBytes(18).toString('hex')}`;
  const chunks: Buffer[] = [];
  for (const [name, value] of Object.entries(parts)) {
    if (value === null || value === undefined) continue;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`;
    if (value instanceof UploadedFile) {
      const type = `Content-Type: ${value.type}\r\n`;
      chunks.push(
        Buffer.from(`${head}; filename="${escapeName(value.name)}"\r\n${type}\r\n`),
        ...value.chunks,
      );
    } else {
      chunks.push(Buffer.from(`${head}\r\n\r\n${textOf(value)}`));
    }
    chunks.push(Buffer.from('\r\n'));
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`));
  return { contentType: `multipart/form-data; boundary=${boundary}`, chunks };
}

/**
 * Names as browsers write them (HTML, multipart form data): in UTF-8, with the characters escaped that would end the name. Other control
 * characters are escaped, too: some parsers end at U+0000.
 */
function escapeName(name: string): string {
  return name.replace(/["\p{Cc}]/gu, (character) => encodeURIComponent(character));
}
