/** A TCP proxy in front of a server, to make its network fail. */
import { createServer, connect, type Socket } from 'node:net';

export interface Proxy {
  readonly port: number;
  /** How many connections have been made through it. */
  readonly connections: () => number;
  /** Carries everything, from now on; what was swallowed stays lost. */
  heal(): void;
  /** Swallows everything in both directions, and says nothing about it. */
  blackHole(): void;
  /** Cuts all connections with a reset. */
  reset(): void;
  /** Cuts a connection as soon as the client sends something on it. */
  resetOnUse(): void;
  close(): Promise<void>;
}

/** Starts a proxy to a port of this machine. */
export async function startProxy(target: number): Promise<Proxy> {
  let mode: 'pass' | 'black-hole' | 'reset-on-use' = 'pass';
  let made = 0;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    made += 1;
    const upstream = connect(target, '127.0.0.1');
    keep(client);
    keep(upstream);
    client.on('data', (data) => {
      if (mode === 'reset-on-use') client.resetAndDestroy();
      else if (mode === 'pass') upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (mode === 'pass') client.write(data);
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => {
      if (mode === 'pass') client.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  return {
    port: address.port,
    connections: () => made,
    heal: () => {
      mode = 'pass';
    },
    blackHole: () => {
      mode = 'black-hole';
    },
    resetOnUse: () => {
      mode = 'reset-on-use';
    },
    reset: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) =>
        server.close(() => {
          resolve();
        }),
      );
    },
  };
}
