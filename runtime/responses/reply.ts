/** The reply of an operation: a JSON value, serialized JSON, or a stream of rows, with headers, content type, file name and entity tag. */
import type { Call } from '../handler/call.js';
import { takesTurns } from '../handler/json-text.js';
import type { Json, Row } from '../handler/json.js';
import type { HeaderLines, HeaderList, Reply } from '../handler/reply.js';
import type { BodyWithRows } from '../handler/rows-as-json.js';
import { type Exchange, ReplyContent } from '../http/exchange.js';
import { sendContent } from '../http/send-response.js';
import { dispositionOf } from './content-disposition.js';
import { entityTag, matchedTag, tagOfContent } from './entity-tag.js';
import { jsonOf } from './json-content.js';
import { inPieces, rowsOf, type Lines } from './lines.js';
import { RowStream, type StreamOptions } from './row-stream.js';

/** The content of a response, created immediately or while it is sent. */
type Content = string | readonly Buffer[] | ((call: Call) => Promise<readonly Buffer[]>);

/** Optional parts of a response, besides status and body. */
export interface ReplyOptions {
  readonly header?: HeaderLines;
  /** The content type; JSON by default. */
  readonly type?: string;
  /** The body format: a line for each row, or one string; JSON by default. */
  readonly as?: Lines | ((body: Json) => string | readonly Buffer[]);
  /** The file name for clients that store the response; null omits it. */
  readonly fileName?: Json | undefined;
  /** The version of the response; true hashes the content, null omits the entity tag. */
  readonly etag?: Json | undefined;
}

/** Creates a reply: `reply(200, { id: 1 })`. Throws a ServiceError 500 for a body that does not match its content type. */
export function reply<Body extends Json>(status: number, body?: Body, options?: ReplyOptions): Reply<Body>;
export function reply(
  status: number,
  body: BodyWithRows,
  options?: Pick<ReplyOptions, 'header' | 'etag'>,
): Reply;
export function reply<Entry extends Row>(
  status: number,
  rows: RowStream<Entry>,
  options: StreamOptions<Entry>,
): Reply;
export function reply(
  status: number,
  given?: Json | BodyWithRows | RowStream,
  options?: ReplyOptions | StreamOptions<Row>,
): Reply {
  if (given instanceof RowStream) return given.replyWith(status, options as StreamOptions<Row>);
  // Rows may already be JSON, although the type says otherwise; `takesTurns` detects them when the response is sent.
  const body = given as Json | undefined;
  if (options === undefined) return body === undefined ? { status } : { status, body };
  if (body === undefined) {
    // Responses without content do not have a content type.
    const { type: _, ...others } = options;
    return { status, content: ownContent(status, '', others) };
  }
  return { status, body, content: ownContent(status, contentOf(body, options.as), options) };
}

function contentOf(body: Json, as: ReplyOptions['as']): Content {
  if (as === undefined)
    return (call) =>
      takesTurns(body) ? piecesOf(body, call) : Promise.resolve([Buffer.from(JSON.stringify(body))]);
  if (typeof as === 'function') return as(body);
  return (call) => inPieces(call, rowsOf(body), as);
}

async function piecesOf(body: Json, call: Call): Promise<readonly Buffer[]> {
  const json = await jsonOf(body, call);
  return typeof json === 'string' ? [Buffer.from(json)] : json;
}

/** Content together with the other parts of the response. Throws an Error for a value that is not a valid entity tag. */
function ownContent(
  status: number,
  content: Content,
  { header, type, as, fileName, etag }: ReplyOptions,
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
  /** True for a hash of the content. */
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

/** Sends the content, or 304 if the client already has it. */
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
  // Caches find the stored response by its tag, which includes the compression.
  if (exchange.parts.sendCompressed !== undefined) exchange.response.appendHeader('Vary', 'Accept-Encoding');
  sendContent(exchange, 304, '', [...withoutContent(lines), 'ETag', known], type);
}

/** Removes headers that describe omitted content (RFC 9110, section 15.4.5). */
function withoutContent(lines: HeaderList): HeaderList {
  return lines.filter(
    (_, index) => !/^(?:content-disposition|x-content-)/i.test(String(lines[index - (index % 2)])),
  );
}
