/** Valid and invalid multipart bodies, byte for byte. Each character of a string is one byte. */

/** The boundary of all bodies. */
export const boundary = 'limit';

/** A part with these header lines and this content. */
export function part(lines: readonly string[], content: string | Buffer): Buffer {
  const head = `--${boundary}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
  return Buffer.concat([latin1(head), latin1(content), latin1('\r\n')]);
}

/** A part without a file name. */
export function note(name: string, content: string | Buffer): Buffer {
  return part([`Content-Disposition: form-data; name="${name}"`], content);
}

/** A part with a file name. */
export function file(name: string, fileName: string, content: string | Buffer, type = 'image/png'): Buffer {
  const disposition = `Content-Disposition: form-data; name="${name}"; filename="${fileName}"`;
  return part([disposition, `Content-Type: ${type}`], content);
}

/** All parts, followed by the closing delimiter. */
export function form(...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([...parts, latin1(`--${boundary}--\r\n`)]);
}

/** The UTF-8 encoding, with one character for each byte. */
export function utf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** A chunked body with one byte in each chunk. */
export function inSingleBytes(body: Buffer): Buffer {
  const chunks = Buffer.alloc(body.length * 6);
  for (const [index, byte] of body.entries()) {
    chunks.write('1\r\n', index * 6, 'latin1');
    chunks.writeUInt8(byte, index * 6 + 3);
    chunks.write('\r\n', index * 6 + 4, 'latin1');
  }
  return Buffer.concat([chunks, latin1('0\r\n\r\n')]);
}

/** The head of a request that sends a form. */
export function headOf(path: string, lines: readonly string[]): string {
  const all = [
    `POST ${path} HTTP/1.1`,
    'Host: a',
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    ...lines,
  ];
  return `${all.join('\r\n')}\r\n\r\n`;
}

function latin1(content: string | Buffer): Buffer {
  return typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
}
