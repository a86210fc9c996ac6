/** A keep-alive connection of the load that wrk cannot make: one request at a time, as little work for each as possible. */
import { connect, type Socket } from 'node:net';

/** The status of a response that never arrived. */
export const noResponse = 0;

export class Connection {
  private readonly socket: Socket;
  private received = '';
  private settle: ((status: number) => void) | undefined;
  /** No more can be asked. */
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

  /** Returns the status when the whole response is there. */
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
    // All servers of the benchmark announce their lengths; one that does not has changed, and its figures would be wrong.
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
