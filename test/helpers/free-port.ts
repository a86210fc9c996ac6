/** A TCP port of 127.0.0.1 that nobody listens on just now. */
import { createServer } from 'node:net';

/** Below the ports that systems assign to connections and to servers without a port, so they cannot be taken in between. */
const lowest = 10_000;
const count = 22_000;

/** Where this process looks next. Others begin elsewhere. */
let next = (process.pid * 97) % count;

/** Finds a free port and releases it at once, so a server can be started on it. Never the same one twice. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + next;
    next = (next + 1) % count;
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
