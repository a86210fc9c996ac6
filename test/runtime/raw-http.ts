/** An HTTP client that sends and receives single bytes, including requests that client libraries refuse to send. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface RawResponse {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A single connection. */
export class RawConnection {
  private received = '';
  private readonly socket: Socket;
  readonly closed: Promise<unknown>;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('data', (chunk: Buffer) => (this.received += chunk.toString('latin1')));
    this.socket.on('error', () => undefined);
    this.closed = once(this.socket, 'close');
  }

  /** Each character is sent as one byte. */
  write(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Everything received before the other side closed the connection. */
  async untilClosed(): Promise<RawResponse[]> {
    await this.closed;
    return responses(this.received);
  }

  /** Waits for `count` responses. */
  async next(count = 1): Promise<RawResponse[]> {
    while (responses(this.received).length < count && !this.socket.destroyed) await delay(5);
    return responses(this.received);
  }

  /** The text received so far. */
  get text(): string {
    return this.received;
  }
}

/** Sends a request on a new connection, and returns all responses to it. */
export async function send(port: number, text: string): Promise<RawResponse[]> {
  return new RawConnection(port).write(text).untilClosed();
}

function responses(text: string): RawResponse[] {
  const found: RawResponse[] = [];
  for (let rest = text; ;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return found;
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = Number(statusLine.split(' ')[1]);
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    const length = Number(headers.get('content-length') ?? 0);
    if (rest.length < end + 4 + length) return found;
    found.push({
      status,
      headers,
      body: Buffer.from(rest.slice(end + 4, end + 4 + length), 'latin1').toString(),
    });
    rest = rest.slice(end + 4 + length);
  }
}
