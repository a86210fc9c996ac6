/** Responses as they are stored: the first response and its repetitions are sent from the same string. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import { parseJson } from '../handler/parse-json.js';
import { ServiceError, type HeaderList, type Reply } from '../handler/reply.js';
import { type Exchange, ReplyContent } from '../http/exchange.js';
import { sendContent } from '../http/send-response.js';
import { headerLines } from '../responses/header-lines.js';
import { jsonOf } from '../responses/json-content.js';

/** Maximum bytes of headers and body. */
const maxBytes = 64 * 1024;

/** A response without the parts that belong to one request. */
interface WholeResponse {
  readonly status: number;
  /** Headers except the content type; a header that is sent several times is a list. */
  readonly headers: readonly (readonly [name: string, value: string | readonly string[]])[];
  /** Undefined for JSON, and without a body. */
  readonly type?: string | undefined;
  readonly body: string;
}

/** The response as a string. Throws a ServiceError 500 if it is too large, or is not text. */
export async function storedText(reply: Reply, call: Call): Promise<string> {
  const response = await wholeResponse(reply, call);
  const size = Buffer.byteLength(response.body) + Buffer.byteLength(JSON.stringify(response.headers));
  if (size > maxBytes) throw unstorable(`it has ${size} bytes, and at most ${maxBytes} are stored`);
  return JSON.stringify(response);
}

/** The reply of a stored string. */
export function storedReply(text: string): Reply {
  const response = JSON.parse(text) as WholeResponse;
  return { status: response.status, content: new StoredContent(response) };
}

async function wholeResponse({ status, body, content }: Reply, call: Call): Promise<WholeResponse> {
  if (content === undefined)
    return { status, headers: [], body: body === undefined ? '' : textOf(await jsonOf(body, call)) };
  // Receives `Vary`, which is added to the header of a response.
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const whole = content instanceof ReplyContent ? await content.whole?.(response, call) : undefined;
  if (whole === undefined) throw unstorable('it is streamed');
  const { lines, content: pieces } = whole;
  const headers: [string, string | string[]][] = [];
  for (let index = 0; index < lines.length; index += 2)
    headers.push([String(lines[index]), lines[index + 1] ?? '']);
  const added = Object.entries(response.getHeaders()).map(([name, value = '']): [string, string] => [
    name,
    [value].flat().join(', '),
  ]);
  const isType = ([name]: readonly [string, unknown]): boolean => name.toLowerCase() === 'content-type';
  return {
    status,
    headers: [...added, ...headers.filter((header) => !isType(header))],
    type: headers.filter(isType).map(([, value]) => String(value))[0],
    body: textOf(pieces),
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(pieces: string | readonly Buffer[]): string {
  if (typeof pieces === 'string') return pieces;
  try {
    return utf8.decode(Buffer.concat(pieces));
  } catch {
    throw unstorable('it is not text');
  }
}

function unstorable(problem: string): ServiceError {
  const reason = `the response cannot be stored for its idempotency key: ${problem}`;
  return new ServiceError(500, 'Internal server error', { log: { reason } });
}

/** The body; null without one. */
function valueOf({ type, body }: WholeResponse): Json {
  if (type === undefined) return body === '' ? null : parseJson(body);
  if (/^application\/x-ndjson\b/i.test(type))
    return body
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => parseJson(line));
  return /[/+]json(?:;|$)/i.test(type) ? parseJson(body) : body;
}

class StoredContent extends ReplyContent {
  constructor(private readonly response: WholeResponse) {
    super();
  }

  send(exchange: Exchange): void {
    const { status, type, body } = this.response;
    sendContent(exchange, status, body, this.linesFor(exchange.response), type);
  }

  /** The body as a client receives it: JSON as its value, the lines of NDJSON as a list, any other type as a string. */
  override value(): Promise<Json> {
    return Promise.resolve(valueOf(this.response));
  }

  override headersFor(response: ServerResponse): HeaderList {
    const { type } = this.response;
    return [...this.linesFor(response), ...(type === undefined ? [] : ['Content-Type', type])];
  }

  private linesFor(response: ServerResponse): HeaderList {
    const headers = this.response.headers.map(([name, value]): [string, Json] => [
      name,
      typeof value === 'string' ? value : [...value],
    ]);
    return headerLines(...headers)(response);
  }
}
