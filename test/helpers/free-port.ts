/** A free TCP port of 127.0.0.1. */
import { createServer } from 'node:net';

/** Below the range from which systems assign ephemeral ports, so the port cannot be taken in the meantime. */
const lowest = 10_000;
const count = 22_000;

/** The next port to try. Each process starts at a different port. */
let next = (process.pid * 97) % count;

/** Finds a free port and releases it, so that a server can be started on it. Never returns the same port twice. */
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
