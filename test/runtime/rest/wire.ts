/** A server that records request heads byte for byte, and responds to each with 204. */
import { createServer, type AddressInfo, type Socket } from 'node:net';

export class Wire {
  /** Each character is one byte. */
  private heads: string[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((socket) => {
    this.sockets.add(socket);
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      for (let end = endOf(text); end !== undefined; end = endOf(text)) {
        this.heads.push(text.slice(0, text.indexOf('\r\n\r\n')));
        text = text.slice(end);
        socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      }
    });
  });

  /** Returns the URL. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The header lines of the only request since the last call, without the request line. */
  take(): string[] {
    const [head = '', ...more] = this.heads;
    if (more.length > 0) throw new Error('more than one request came');
    this.heads = [];
    return head.split('\r\n').slice(1);
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}

/** The end of a complete request; undefined if the request is incomplete. */
function endOf(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? '0';
  const end = head + 4 + Number(length);
  return text.length < end ? undefined : end;
}
