/** A client that reads a response so slowly that it takes longer than a client may read nothing. */
import { connect } from 'node:net';

/** The bytes of the response. */
export function readSlowly(port: number, path: string): Promise<number> {
  return new Promise((resolve) => {
    let bytes = 0;
    const socket = connect(port, '127.0.0.1')
      .on('error', () => undefined)
      .on('close', () => {
        resolve(bytes);
      });
    socket.on('data', (data: Buffer) => {
      bytes += data.length;
      socket.pause();
      setTimeout(() => socket.resume(), 20);
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  });
}
