/** A TCP port of 127.0.0.1 that nobody listens on just now. */
import { createServer } from 'node:net';

/** Asks the system for a free port and releases it at once, so a server can be started on it. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('no TCP port'));
        else resolve(address.port);
      });
    });
  });
}
