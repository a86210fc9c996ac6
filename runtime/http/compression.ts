/** Compresses responses if COMPRESSION is on (RFC 9110, section 12.5.3). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HeaderList } from '../handler/reply.js';
import type { Content, PackParts } from './exchange.js';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import { withoutSpace } from './header-space.js';

/** Bytes. A smaller response fits into one TCP packet. */
const minSize = 1024;

/** The quality at which brotli is about as fast as gzip. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

type Encoding = 'br' | 'gzip';

/** Sends JSON, compressed if it is large enough and the client accepts it. In `headers`, names and values alternate. */
export function sendCompressed(
  { headers: { 'accept-encoding': accept } }: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: HeaderList,
  content: Content,
): void {
  response.appendHeader('Vary', 'Accept-Encoding');
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.concat(content);
  const send = (body: Buffer, more: HeaderList, head = headers): void => {
    if (!response.destroyed)
      response.writeHead(status, [...head, ...more, 'Content-Length', String(body.length)]).end(body);
  };
  const encoding = bytes.length > minSize ? chosenEncoding(accept) : undefined;
  if (encoding === undefined) {
    send(bytes, []);
    return;
  }
  // Set immediately, because other code may read the status before the response is sent.
  response.statusCode = status;
  const done = (error: Error | null, packed: Buffer): void => {
    if (error === null) send(packed, ['Content-Encoding', encoding], withCoding(headers, encoding));
    else send(bytes, []);
  };
  if (encoding === 'br') brotliCompress(bytes, brotli, done);
  else gzip(bytes, done);
}

/** Compresses a response of unknown length, if the client accepts compression. */
export const packParts: PackParts = ({ headers: { 'accept-encoding': accept } }) => {
  const encoding = chosenEncoding(accept);
  return encoding && { encoding, packer: encoding === 'br' ? createBrotliCompress(brotli) : createGzip() };
};

/** The entity tag of the compressed content: `"5"` becomes `"5-gzip"` (RFC 9110, section 8.8.3.3). */
function withCoding(headers: HeaderList, encoding: Encoding): HeaderList {
  return headers.map((value, index) =>
    headers[index - 1] === 'ETag' && typeof value === 'string' ? value.replace(/"$/, `-${encoding}"`) : value,
  );
}

/** The encoding that the client prefers; brotli if there is no preference. */
export function chosenEncoding(accept = ''): Encoding | undefined {
  const qualities = new Map(accept.toLowerCase().split(',').map(readPart));
  const others = qualities.get('*') ?? 0;
  const br = qualities.get('br') ?? others;
  const gzip = qualities.get('gzip') ?? qualities.get('x-gzip') ?? others;
  const best = Math.max(br, gzip);
  if (best === 0 || (qualities.get('identity') ?? 0) > best) return undefined;
  return br === best ? 'br' : 'gzip';
}

function readPart(part: string): [name: string, quality: number] {
  const [name = '', ...parameters] = part.split(';').map(withoutSpace);
  const quality = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '');
  const value = quality === undefined ? 1 : Number(quality);
  return [name, value >= 0 && value <= 1 ? value : 0];
}
