/** A keep-alive connection for loads that wrk cannot generate: one request at a time, with minimal work for each. */
import { connect, type Socket } from 'node:net';

/** The status used if no response arrived. */
export const noResponse = 0;

export class Connection {
  private readonly socket: Socket;
  private received = '';
  private settle: ((status: number) => void) | undefined;
  /** True after the connection was closed. */
  isClosed = false;

  constructor(private readonly url: URL) {
    this.socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text: string) => {
      this.received += text;
      this.readResponse();
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
      this.response(noResponse);
    });
  }

  /** Resolves with the status when the response is complete. */
  ask(path: string): Promise<number> {
    return new Promise((resolve) => {
      this.settle = resolve;
      if (this.isClosed) this.response(noResponse);
      else this.socket.write(`GET ${path} HTTP/1.1\r\nHost: ${this.url.host}\r\n\r\n`);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private readResponse(): void {
    const head = this.received.indexOf('\r\n\r\n');
    if (head === -1) return;
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.received.slice(0, head))?.[1];
    // All servers of the benchmark send Content-Length; if one does not, the server has changed, and its figures would be wrong.
    if (length === undefined) this.socket.destroy();
    else if (this.received.length >= head + 4 + Number(length)) {
      const status = Number(this.received.slice(9, 12));
      this.received = '';
      this.response(status);
    }
  }

  private response(status: number): void {
    const settle = this.settle;
    this.settle = undefined;
    settle?.(status);
  }
}
