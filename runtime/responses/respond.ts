/** Replies that are more than a JSON body: headers, content types, file names, entity tags (extensions 12.5). */
import type { Call } from '../handler/call.js';
import { jsonInTurns, takesTurns } from '../handler/json-text.js';
import type { Json } from '../handler/json.js';
import type { HeaderLines, HeaderList, Reply } from '../handler/reply.js';
import { type Exchange, ReplyContent } from '../http/exchange.js';
import { sendContent } from '../http/send-response.js';
import { dispositionOf } from './content-disposition.js';
import { entityTag, matchedTag, tagOfContent } from './entity-tag.js';

/** The content of a response: made at once, or while it is sent. */
export type Content = string | readonly Buffer[] | ((call: Call) => Promise<readonly Buffer[]>);

export interface ResponseOptions {
  readonly header?: HeaderLines;
  /** The content type; that of JSON without it. */
  readonly type?: string;
  /** Makes the content of the body; JSON without it. */
  readonly as?: (body: Json) => Content;
  /** The name under which clients store it; null for none. */
  readonly fileName?: Json | undefined;
  /** The version of the response; true for the hash of the content, null for none. */
  readonly etag?: Json | undefined;
}

/** Creates the reply of a response. Throws a ServiceError 500 for a body that its content type cannot have. */
export function respond<Body extends Json>(
  status: number,
  body: Body | undefined,
  options: ResponseOptions,
): Reply<Body> {
  if (body === undefined) {
    // What has no content has no type.
    const { type: _, ...others } = options;
    return { status, content: ownContent(status, '', others) };
  }
  const content = options.as === undefined ? jsonOf(body) : options.as(body);
  return { status, body, content: ownContent(status, content, options) };
}

/** The content with what else the response has. Throws an Error for a value that no entity tag can have. */
export function ownContent(
  status: number,
  content: Content,
  { header, type, as, fileName, etag }: ResponseOptions,
): ReplyContent {
  const lines: string[] = [];
  const disposition = dispositionOf(fileName);
  if (disposition !== undefined) lines.push('Content-Disposition', disposition);
  if (as !== undefined) lines.push('X-Content-Type-Options', 'nosniff');
  const tag = etag === true ? true : entityTag(etag);
  return new OwnContent(status, content, { header, lines, type, tag });
}

/** The parts of a response besides its content. */
interface Head {
  readonly header: HeaderLines | undefined;
  readonly lines: HeaderList;
  readonly type: string | undefined;
  /** True for the hash of the content. */
  readonly tag: string | true | undefined;
}

class OwnContent extends ReplyContent {
  constructor(
    private readonly status: number,
    private readonly content: Content,
    private readonly head: Head,
  ) {
    super();
  }

  async send(exchange: Exchange, call: Call): Promise<void> {
    const { content, head, status } = this;
    const pieces = typeof content === 'function' ? await content(call) : content;
    const own = head.header?.(exchange.response) ?? [];
    sendTagged(exchange, status, pieces, { ...head, lines: [...head.lines, ...own] });
  }
}

function jsonOf(body: Json): Content {
  return (call) =>
    takesTurns(body) ? jsonInTurns(call, body) : Promise.resolve([Buffer.from(JSON.stringify(body))]);
}

/** Sends the content, or 304 to a client that has it. */
function sendTagged(
  exchange: Exchange,
  status: number,
  pieces: string | readonly Buffer[],
  { lines, type, tag }: Head,
): void {
  const { method, headers } = exchange.request;
  const own = tag === true ? tagOfContent(pieces) : tag;
  if (own === undefined) {
    sendContent(exchange, status, pieces, lines, type);
    return;
  }
  const known = method === 'GET' || method === 'HEAD' ? matchedTag(headers['if-none-match'], own) : undefined;
  if (known === undefined) {
    sendContent(exchange, status, pieces, [...lines, 'ETag', own], type);
    return;
  }
  // Caches look for the stored response by the tag that it has, with its coding.
  if (exchange.parts.sendCompressed !== undefined) exchange.response.appendHeader('Vary', 'Accept-Encoding');
  sendContent(exchange, 304, '', [...withoutContent(lines), 'ETag', known], type);
}

/** Headers that a response without its content has (RFC 9110, section 15.4.5). */
function withoutContent(lines: HeaderList): HeaderList {
  return lines.filter(
    (_, index) => !/^(?:content-disposition|x-content-)/i.test(String(lines[index - (index % 2)])),
  );
}
