/** A client that keeps reading slowly, so that the response takes longer than the time allowed without any reading. */
import { connect } from 'node:net';

/** Returns the number of received bytes. */
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
