/** Sends the files of the test page, with headers that restrict the browser. */
import { sendMessage } from '../http/send-response.js';
import type { Exchange } from '../http/exchange.js';
import { matchedTag } from '../responses/entity-tag.js';
import type { PageFile } from './files.js';

/** Allows content from this origin only, without inline scripts or embedding in frames. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function send(
  exchange: Exchange,
  status: number,
  headers: readonly string[],
  content: Buffer = Buffer.alloc(0),
): void {
  const { response, requestId, closing } = exchange;
  if (response.destroyed) return;
  const common = ['X-Request-Id', requestId, ...(closing ? ['Connection', 'close'] : [])];
  const length = status === 304 ? [] : ['Content-Length', String(content.length)];
  response.writeHead(status, [...common, ...headers, ...length]).end(content);
}

/**
 * The browser revalidates the file each time, because its copy may be from an earlier build. If the copy is current, the response is
 * 304.
 */
export function sendFile(exchange: Exchange, file: PageFile): void {
  let content: Buffer;
  let tag: string;
  try {
    content = file.content();
    tag = file.tag();
  } catch {
    sendMessage(exchange, 500);
    return;
  }
  const headers = [
    ...['Content-Type', file.type, 'Cache-Control', 'no-cache', 'X-Content-Type-Options', 'nosniff'],
    ...['Content-Security-Policy', policy, 'Referrer-Policy', 'no-referrer', 'ETag', tag],
  ];
  const isKnown = matchedTag(exchange.request.headers['if-none-match'], tag) !== undefined;
  if (isKnown) send(exchange, 304, headers);
  else send(exchange, 200, headers, content);
}

export function sendRedirect(exchange: Exchange, location: string): void {
  send(exchange, 302, ['Location', location]);
}
