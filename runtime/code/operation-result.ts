/** The result of an operation for callers within the process: status, headers, and a copy of the body. */
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import { ServiceError, type Reply } from '../handler/reply.js';
import { ReplyContent } from '../http/exchange.js';
import { jsonType } from '../http/send-response.js';
import { copyOf, NotJson } from './copy-json.js';

/** The result of an operation. */
export interface OperationResult<Body> {
  readonly status: number;
  /** The headers of the response by name in lower case; a header that is sent several times is a list. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body; null if there is no body. */
  readonly body: Body;
  /** The URL of the next page, from the header `Link`; missing on the last page, and without pages. */
  readonly next?: string;
}

/** Reads the reply of the operation `name`. Throws a ServiceError. */
export async function resultOf(
  reply: Reply,
  request: IncomingMessage,
  call: Call,
  name: string,
): Promise<OperationResult<Json>> {
  const { status, content } = reply;
  const own = content instanceof ReplyContent ? content : undefined;
  const value = await own?.value?.();
  // Copied, because rows may be shared by several calls.
  const copy = copied(reply.body ?? value ?? null, `the response of ${name}`);
  const headers = await headersOf(reply, request, call);
  const next = nextPage(headers['link']);
  return { status, headers, body: copy, ...(next === undefined ? {} : { next }) };
}

/** The URL with `rel="next"` in headers `Link`. */
function nextPage(links: OperationResult<Json>['headers'][string] = []): string | undefined {
  for (const part of [links].flat().flatMap((link) => link.split('<').slice(1))) {
    const end = part.indexOf('>');
    if (end !== -1 && /;\s*rel="?next\b/.test(part.slice(end))) return part.slice(0, end);
  }
  return undefined;
}

/** The headers of a reply by name in lower case, as a response without other headers would have them. */
async function headersOf(
  { body, content }: Reply,
  request: IncomingMessage,
  call: Call,
): Promise<OperationResult<Json>['headers']> {
  const response = new ServerResponse(request);
  if (body !== undefined) response.setHeader('Content-Type', jsonType);
  if (content instanceof ReplyContent) {
    const lines = await content.headersFor(response, call);
    for (let index = 0; index < lines.length; index += 2)
      response.setHeader(String(lines[index]), lines[index + 1] ?? '');
  }
  return Object.fromEntries(
    Object.entries(response.getHeaders()).map(([name, value = '']) => {
      const [first = '', ...others] = Array.isArray(value) ? value : [String(value)];
      return [name, others.length === 0 ? first : [first, ...others]];
    }),
  );
}

/** A copy of the value. Throws a ServiceError 500 if it is not JSON; `what` names the value in the log. */
export function copied(value: unknown, what: string): Json {
  try {
    return copyOf(value).value;
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    const log = { pointer: error.pointer, reason: `${what} ${error.problem}` };
    throw new ServiceError(500, 'Internal server error', { log });
  }
}
