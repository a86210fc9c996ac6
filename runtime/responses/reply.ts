/** The reply of an operation: a JSON value, serialized JSON, or a stream of rows, with headers, content type, file name and entity tag. */
import type { ServerResponse } from 'node:http';
import type { Call } from '../handler/call.js';
import { takesTurns } from '../handler/json-text.js';
import type { Json, Row } from '../handler/json.js';
import type { HeaderLines, HeaderList, Reply } from '../handler/reply.js';
import type { BodyWithRows } from '../handler/rows-as-json.js';
import { type Exchange, ReplyContent } from '../http/exchange.js';
import { sendContent, sendMessage } from '../http/send-response.js';
import { bytesInRange, requestedRange } from './byte-range.js';
import { dispositionOf } from './content-disposition.js';
import { bytes } from './contents.js';
import { entityTag, matchedTag, tagOfContent } from './entity-tag.js';
import { isActive } from './file-type.js';
import { addToList } from './header-lines.js';
import { jsonOf } from './json-content.js';
import { inPieces, rowsOf, type Lines } from './lines.js';
import { withoutFieldsInTurns, type Omitted } from './omitted-fields.js';
import { RowStream, type StreamOptions } from './row-stream.js';

/** The content of a response, created immediately or while it is sent. */
type Content = string | readonly Buffer[] | ((call: Call) => Promise<readonly Buffer[]>);

/** Optional parts of a response, in addition to status and body. */
export interface ReplyOptions {
  readonly header?: HeaderLines;
  /** The content type; JSON by default. */
  readonly type?: string;
  /** The body format: a line for each row, or one string; JSON by default. */
  readonly as?: Lines | ((body: Json) => string | readonly Buffer[]);
  /** The file name for clients that store the response; null omits it. */
  readonly fileName?: Json | undefined;
  /** The fields of objects that are left out of JSON. */
  readonly omit?: Omitted;
  /** The version of the response; true hashes the content, null omits the entity tag. */
  readonly etag?: Json | undefined;
  /** Whether the response has a secret that the operation made: caches do not store it, and it is never compressed. */
  readonly secret?: boolean;
}

/** Creates a reply: `reply(200, { id: 1 })`. Throws a ServiceError 500 for a body that does not match its content type. */
export function reply<Body extends Json>(status: number, body?: Body, options?: ReplyOptions): Reply<Body>;
export function reply(
  status: number,
  body: BodyWithRows,
  options?: Pick<ReplyOptions, 'header' | 'etag' | 'secret'>,
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
  return { status, body, content: ownContent(status, contentOf(body, options), options) };
}

function contentOf(body: Json, { as, omit }: ReplyOptions): Content {
  if (omit !== undefined && typeof as !== 'function')
    return async (call) => {
      const kept = await withoutFieldsInTurns(body, omit, call);
      return as === undefined ? piecesOf(kept, call) : inPieces(call, rowsOf(kept), as);
    };
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
  { header, type, as, fileName, etag, omit, secret = false }: ReplyOptions,
): ReplyContent {
  const lines: string[] = [];
  const isFile = as === bytes;
  const isAttachment = isFile && type !== undefined && isActive(type);
  const disposition = dispositionOf(fileName) ?? (isAttachment ? 'attachment' : undefined);
  if (disposition !== undefined) lines.push('Content-Disposition', disposition);
  if (as !== undefined) lines.push('X-Content-Type-Options', 'nosniff');
  const tag = etag === true ? true : entityTag(etag);
  return new OwnContent(status, content, { header, lines, type, tag, isFile, isSecret: secret }, omit);
}

/** The parts of a response, except its content. */
interface Head {
  readonly header: HeaderLines | undefined;
  readonly lines: HeaderList;
  readonly type: string | undefined;
  /** True for a hash of the content. */
  readonly tag: string | true | undefined;
  /** Whether the content is bytes, of which clients may request a part. They are never compressed: positions are those of the bytes. */
  readonly isFile: boolean;
  /** Whether caches must not store the content, and its length must not depend on it. */
  readonly isSecret: boolean;
}

class OwnContent extends ReplyContent {
  constructor(
    private readonly status: number,
    private readonly content: Content,
    private readonly head: Head,
    private readonly omit: Omitted | undefined,
  ) {
    super();
  }

  override omitted(): Omitted | undefined {
    return this.omit;
  }

  async headersFor(response: ServerResponse, call: Call): Promise<HeaderList> {
    const { content, head } = this;
    const lines = [...head.lines, ...(head.header?.(response) ?? [])];
    if (head.isSecret) lines.push('Cache-Control', 'no-store');
    if (head.type !== undefined) lines.push('Content-Type', head.type);
    const tag =
      head.tag === true
        ? tagOfContent(typeof content === 'function' ? await content(call) : content)
        : head.tag;
    return tag === undefined ? lines : [...lines, 'ETag', tag];
  }

  override async whole(
    response: ServerResponse,
    call: Call,
  ): Promise<{ readonly lines: HeaderList; readonly content: string | readonly Buffer[] }> {
    const { content } = this;
    const lines = await this.headersFor(response, call);
    return { lines, content: typeof content === 'function' ? await content(call) : content };
  }

  async send(exchange: Exchange, call: Call): Promise<void> {
    const { content, head, status } = this;
    const pieces = typeof content === 'function' ? await content(call) : content;
    if (head.isSecret) exchange.response.setHeader('Cache-Control', 'no-store');
    const own = head.header?.(exchange.response) ?? [];
    sendTagged(exchange, status, pieces, { ...head, lines: [...head.lines, ...own] });
  }
}

/** Sends the content, the requested part of it, or 304 to a client that has it. */
function sendTagged(
  exchange: Exchange,
  status: number,
  pieces: string | readonly Buffer[],
  head: Head,
): void {
  const { lines, type, tag, isFile, isSecret } = head;
  const { method, headers } = exchange.request;
  const own = tag === true ? tagOfContent(pieces) : tag;
  if (own !== undefined && exchange.response.hasHeader('Access-Control-Expose-Headers'))
    addToList(exchange.response, 'Access-Control-Expose-Headers', 'ETag');
  const isRead = method === 'GET' || method === 'HEAD';
  const known = isRead && own !== undefined ? matchedTag(headers['if-none-match'], own) : undefined;
  if (known !== undefined) {
    // Caches look for the stored response by the tag that it has, with its coding.
    if (exchange.parts.sendCompressed !== undefined && !isFile && !isSecret)
      exchange.response.appendHeader('Vary', 'Accept-Encoding');
    sendContent(exchange, 304, '', [...withoutContent(lines), 'ETag', known], type);
    return;
  }
  const all = own === undefined ? lines : [...lines, 'ETag', own];
  if (isFile && isRead && status === 200 && typeof pieces !== 'string')
    sendFile(exchange, pieces, { ...head, lines: all }, own);
  else sendContent(exchange, status, pieces, all, type, !isFile && !isSecret);
}

/** Sends the bytes, or the part that the client requests: 206, or 416 if there is none. */
function sendFile(
  exchange: Exchange,
  pieces: readonly Buffer[],
  { lines, type }: Head,
  tag: string | undefined,
): void {
  const { request, response } = exchange;
  if (response.hasHeader('Access-Control-Expose-Headers'))
    addToList(response, 'Access-Control-Expose-Headers', 'Accept-Ranges, Content-Range');
  const { range: header, 'if-range': version } = request.headers;
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  // A part of another version does not fit what the client has. A date is none: files have no time of their last change.
  const isWanted = request.method === 'GET' && (version === undefined || version === tag);
  const range = isWanted ? requestedRange(header, size) : undefined;
  if (range === 'outside') {
    sendMessage(exchange, 416, undefined, ['Content-Range', `bytes */${size}`]);
    return;
  }
  const all = [...lines, 'Accept-Ranges', 'bytes'];
  if (range === undefined) {
    sendContent(exchange, 200, pieces, all, type, false);
    return;
  }
  const { first, last } = range;
  all.push('Content-Range', `bytes ${first}-${last}/${size}`);
  sendContent(exchange, 206, bytesInRange(pieces, range), all, type, false);
}

/** Removes headers that describe omitted content (RFC 9110, section 15.4.5). */
function withoutContent(lines: HeaderList): HeaderList {
  return lines.filter(
    (_, index) => !/^(?:content-disposition|x-content-)/i.test(String(lines[index - (index % 2)])),
  );
}
