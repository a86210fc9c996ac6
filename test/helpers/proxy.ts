/** A TCP proxy in front of a server that simulates network failures. */
import { createServer, connect, type Socket } from 'node:net';

export interface Proxy {
  readonly port: number;
  /** The number of connections made through the proxy. */
  readonly connections: () => number;
  /** The number of connections that the server has closed with a message to the client. */
  readonly ended: () => number;
  /** Forwards all data from now on; dropped data stays lost. */
  heal(): void;
  /** Silently drops all data in both directions. */
  blackHole(): void;
  /** Resets all connections. */
  reset(): void;
  /** Sends bytes to all clients as if they came from the server. */
  inject(data: Buffer): void;
  /**
   * Forwards `bytes` more bytes, counted over all connections, and cuts the connection on which the limit is reached; forwards everything
   * afterwards.
   */
  cutAfter(bytes: number, direction: 'to server' | 'to client'): void;
  /** The number of connections cut by `cutAfter`. */
  readonly cuts: () => number;
  /** Resets a connection as soon as the client sends data on it. */
  resetOnUse(): void;
  close(): Promise<void>;
}

/** Starts a proxy to a local port; `own` is the proxy's port, by default a free one. */
export async function startProxy(target: number, own = 0): Promise<Proxy> {
  let mode: 'pass' | 'black-hole' | 'reset-on-use' = 'pass';
  let made = 0;
  let ended = 0;
  let cut: { left: number; readonly direction: 'to server' | 'to client' } | undefined;
  let cuts = 0;
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
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
    clients.add(client);
    client.on('close', () => clients.delete(client));
    /** Forwards data up to the cut; the part before the cut arrives. */
    const carry = (data: Buffer, to: Socket, direction: 'to server' | 'to client'): void => {
      if (cut?.direction !== direction || data.length <= cut.left) {
        if (cut?.direction === direction) cut.left -= data.length;
        to.write(data);
        return;
      }
      const part = data.subarray(0, cut.left);
      cut = undefined;
      cuts += 1;
      client.removeAllListeners('data').pause();
      upstream.removeAllListeners('data').pause();
      to.write(part, () => {
        if (direction === 'to client') client.end();
        else client.resetAndDestroy();
        upstream.end();
      });
    };
    client.on('data', (data) => {
      if (mode === 'reset-on-use') client.resetAndDestroy();
      else if (mode === 'pass') carry(data, upstream, 'to server');
    });
    upstream.on('data', (data) => {
      if (mode === 'pass') carry(data, client, 'to client');
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => {
      ended += 1;
      if (mode === 'pass') client.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(own, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  return {
    port: address.port,
    connections: () => made,
    ended: () => ended,
    heal: () => {
      mode = 'pass';
      cut = undefined;
    },
    blackHole: () => {
      mode = 'black-hole';
    },
    cutAfter: (bytes, direction) => {
      cut = { left: bytes, direction };
    },
    cuts: () => cuts,
    resetOnUse: () => {
      mode = 'reset-on-use';
    },
    reset: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    inject: (data) => {
      for (const client of clients) client.write(data);
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
