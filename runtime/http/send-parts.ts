/** Responses that are written in parts, at the pace of the client: nobody knows their length before. */
import type { OutgoingHttpHeader } from 'node:http';
import type { HeaderList } from '../handler/reply.js';
import type { Exchange, Packer } from './exchange.js';
import { ClientGone } from './http-call.js';

/** Sends the status and the headers; those of `more` include the content type, which is a text. */
export function beginParts(exchange: Exchange, status: number, more: HeaderList): Parts {
  const { request, requestId, response, closing, packParts } = exchange;
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

export class Parts {
  constructor(
    private readonly response: Exchange['response'],
    private readonly packer: Packer | undefined,
  ) {
    packer?.pipe(response);
  }

  /** Resolves when the client has read enough. Throws ClientGone if it has disconnected. */
  async write(text: string): Promise<void> {
    const { response, packer } = this;
    if (packer === undefined) {
      if (!response.destroyed && response.write(text)) return;
      await this.unlessGone((done) => response.once('drain', done));
    } else {
      packer.write(text);
      // Else the first rows would wait in it for those that fill its buffer.
      await this.unlessGone((done) => {
        packer.flush(done);
      });
    }
    if (response.destroyed) throw new ClientGone();
  }

  end(): void {
    (this.packer ?? this.response).end();
  }

  /** Ends the connection without the last chunk: so the client knows that something is missing. */
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
