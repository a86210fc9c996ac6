/** The body of a question to `apikiln dev`. */
import type { IncomingMessage } from 'node:http';

/** Bytes of a question: a signed body is a part of it. */
const sizeLimit = 64 * 1024 * 1024;

/** Undefined if it is too large. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > sizeLimit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
