/** What Node's parser lets through in the head of a request, and this service does not take. */
import type { IncomingMessage } from 'node:http';

/** As many fields as Node takes by default; more than any client sends. */
const mostFields = 2000;

/** How a request is refused: a status, and a message where the usual words of the status do not tell enough. */
export interface HeadProblem {
  readonly status: number;
  readonly message?: string;
}

/** Undefined when nothing is wrong with the head. */
export function problemOfHead(request: IncomingMessage): HeadProblem | undefined {
  const { headers, httpVersion, rawHeaders } = request;
  // Names and values in turn.
  if (rawHeaders.length > 2 * mostFields) return { status: 431 };
  const { host, 'transfer-encoding': coding } = headers;
  // RFC 9112, section 3.2: one Host header, no more and no less.
  if (host === undefined) {
    if (httpVersion === '1.1') return { status: 400, message: 'The Host header is missing' };
  } else if (host.includes(',')) return { status: 400, message: 'There is more than one Host header' };
  // Section 6.1: a coding that nobody undoes here would be taken for the content.
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
    return { status: 501, message: 'The only transfer encoding of this service is chunked' };
  return undefined;
}
