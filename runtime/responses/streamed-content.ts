/** Responses that are written while rows arrive: the status is sent with the first row, and later errors reset the connection. */
import type { ServerResponse } from 'node:http';
import type { HeaderLines, HeaderList, Reply } from '../handler/reply.js';
import type { Json, Row } from '../handler/json.js';
import { ClientGone } from '../http/http-call.js';
import { type Exchange, isWrapped, ReplyContent, type Packer } from '../http/exchange.js';
import { dispositionOf } from './content-disposition.js';
import { release } from './json-pieces.js';
import { jsonLines } from './lines.js';
import { withoutFields, type Omitted } from './omitted-fields.js';
import { RowStream, type Arriving, type RowSource, type StreamOptions } from './row-stream.js';
import type { OutgoingHttpHeader } from 'node:http';

/** The rows of a source, sent as they arrive. */
export class StreamedRows<Entry extends Row = Row> extends RowStream<Entry> {
  replyWith(
    status: number,
    { header, type, as, item, fileName, omit, secret = false }: StreamOptions<Entry>,
  ): Reply {
    const disposition = dispositionOf(fileName);
    const lines = [
      ...(disposition === undefined ? [] : ['Content-Disposition', disposition]),
      ...['X-Content-Type-Options', 'nosniff', 'Content-Type', type],
    ];
    const written =
      omit === undefined ? item : (row: Entry) => withoutFields(item === undefined ? row : item(row), omit);
    const line = written === undefined ? as.line : (row: Entry) => as.line(written(row));
    const streamed = {
      ...{ status, header, lines, head: as.head, line, item, omit },
      ...{ isJson: as === jsonLines, isSecret: secret },
    };
    return { status, content: new StreamedContent(this.source, streamed) };
  }
}

interface Streamed<Entry extends Row> {
  readonly status: number;
  readonly header: HeaderLines | undefined;
  readonly lines: HeaderList;
  /** Text before the first row. */
  readonly head: string;
  readonly line: (row: Entry) => string;
  readonly item: ((row: Entry) => Json) | undefined;
  /** Whether each line is JSON. */
  readonly isJson: boolean;
  /** Whether caches must not store the response, and its length must not depend on its content. */
  readonly isSecret: boolean;
  readonly omit: Omitted | undefined;
}

type Pieces = AsyncGenerator<string | Buffer, undefined>;

/** Characters written at a time, if available. */
const large = 32 * 1024;

class StreamedContent<Entry extends Row> extends ReplyContent {
  constructor(
    private readonly source: RowSource<Entry>,
    private readonly streamed: Streamed<Entry>,
  ) {
    super();
  }

  async send(exchange: Exchange): Promise<void> {
    const { source } = this;
    const { item, isJson, omit } = this.streamed;
    if (isJson && item === undefined && omit === undefined && source.beginLines !== undefined)
      await this.pass(exchange, await source.beginLines(), bytesOf);
    else await this.pass(exchange, await source.begin(), (rows) => this.pieces(rows));
  }

  private async pass<Part>(
    exchange: Exchange,
    arriving: Arriving<Part>,
    piecesOf: (arriving: Arriving<Part>) => Pieces,
  ): Promise<void> {
    const abandon = (): void => {
      arriving.abandon();
    };
    exchange.response.once('close', abandon);
    try {
      await this.write(exchange, piecesOf(arriving));
    } finally {
      abandon();
    }
  }

  headersFor(response: ServerResponse): HeaderList {
    const { header, lines, isSecret } = this.streamed;
    return [...lines, ...(header?.(response) ?? []), ...(isSecret ? ['Cache-Control', 'no-store'] : [])];
  }

  override omitted(): Omitted | undefined {
    return this.streamed.omit;
  }

  override async value(): Promise<Json[]> {
    const rows = await this.source.begin();
    const { item } = this.streamed;
    const items: Json[] = [];
    for await (const batch of rows.batches()) for (const row of batch) items.push(item?.(row) ?? row);
    return items;
  }

  private async write(exchange: Exchange, pieces: Pieces): Promise<void> {
    const { status, header, lines, isSecret } = this.streamed;
    try {
      // An error before the first rows are sent can still be reported normally.
      let piece = await pieces.next();
      if (!exchange.isOpen) throw new ClientGone();
      if (isSecret) exchange.response.setHeader('Cache-Control', 'no-store');
      const own = [...lines, ...(header?.(exchange.response) ?? [])];
      const parts = beginParts(exchange, status, own, !isSecret);
      try {
        const isRead = exchange.request.method !== 'HEAD';
        for (; isRead && piece.done !== true; piece = await pieces.next()) await parts.write(piece.value);
        parts.end();
      } catch (error) {
        // The statement was cancelled because the client left, so this is not a failure.
        if (exchange.response.destroyed) throw new ClientGone();
        parts.cut();
        throw error;
      }
    } finally {
      await pieces.return(undefined);
    }
  }

  private async *pieces(rows: Arriving<Entry>): Pieces {
    const { head, line } = this.streamed;
    let pending = head;
    for await (const batch of rows.batches()) {
      for (const row of batch) {
        pending += line(row);
        if (pending.length < large) continue;
        yield pending;
        pending = '';
      }
      if (pending !== '') yield pending;
      pending = '';
    }
    if (pending !== '') yield pending;
    return undefined;
  }
}

async function* bytesOf(lines: Arriving<Buffer>): Pieces {
  for await (const pieces of lines.batches()) yield* pieces;
  return undefined;
}

/** Sends the status and headers. `more` includes the content type, which is always a string. */
function beginParts(exchange: Exchange, status: number, more: HeaderList, mayCompress: boolean): Parts {
  const { request, requestId, response, closing } = exchange;
  const packParts = mayCompress ? exchange.parts.packParts : undefined;
  if (packParts !== undefined) response.appendHeader('Vary', 'Accept-Encoding');
  const packed = packParts?.(request);
  const headers = [
    ...['X-Request-Id', requestId, ...more],
    ...(packed === undefined ? [] : ['Content-Encoding', packed.encoding]),
    ...(closing ? ['Connection', 'close'] : []),
  ];
  response.writeHead(status, headers as OutgoingHttpHeader[]);
  return new Parts(response, packed?.packer);
}

class Parts {
  constructor(
    private readonly response: Exchange['response'],
    private readonly packer: Packer | undefined,
  ) {
    packer?.pipe(response);
  }

  /** Resolves when the client has read enough for the next piece. Throws ClientGone if the client has disconnected. */
  async write(piece: string | Buffer): Promise<void> {
    const { response, packer } = this;
    if (packer === undefined) {
      if (!response.destroyed && response.write(piece, this.releasing(piece))) return;
      await this.unlessGone((done) => response.once('drain', done));
    } else {
      packer.write(piece, this.releasing(piece));
      // Without flushing, the first rows would wait in the compressor until its buffer is full.
      await this.unlessGone((done) => {
        packer.flush(done);
      });
    }
    if (response.destroyed) throw new ClientGone();
  }

  /**
   * Reuses memory after it has been sent, except after errors (the system may still read it) or if middleware wraps the response (and
   * may keep it).
   */
  private releasing(piece: string | Buffer): ((error?: Error | null) => void) | undefined {
    const { response } = this;
    if (typeof piece === 'string' || isWrapped(response)) return undefined;
    return (error) => {
      if (error === undefined || error === null) release([piece]);
    };
  }

  end(): void {
    (this.packer ?? this.response).end();
  }

  /** Closes the connection with a reset, so that the client notices the incomplete response. */
  cut(): void {
    this.response.destroy();
    this.packer?.destroy();
  }

  private async unlessGone(start: (done: () => void) => void): Promise<void> {
    const { response } = this;
    if (response.destroyed) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        response.off('close', done);
        resolve();
      };
      response.once('close', done);
      start(done);
    });
  }
}
