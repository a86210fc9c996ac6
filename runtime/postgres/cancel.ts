/** Ends a statement that runs on another connection: PostgreSQL takes such a request without any log-in. */
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';

/** Milliseconds after which a server that does not answer is left alone. */
const patience = 2000;

/** Where the request goes, and the key that the server gave the connection. */
export interface CancelRequest {
  /** The connection's own server: behind a name there may be several. */
  readonly address: string;
  readonly port: number;
  /** The driver's settings of TLS. */
  readonly tls: unknown;
  readonly processId: number;
  readonly secretKey: number;
}

/** The driver's connection, as it is and not as it is declared. */
const DriverConnection = pg.Connection as unknown as new (settings: {
  readonly ssl: unknown;
}) => EventEmitter & {
  readonly stream: Socket;
  connect(port: number, host: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
};

/** Resolves when the server has taken the request, which it shows by ending the connection. Never fails. */
export function cancelStatement({ address, port, tls, processId, secretKey }: CancelRequest): Promise<void> {
  return new Promise((resolve) => {
    const connection = new DriverConnection({ ssl: tls });
    const send = () => {
      connection.cancel(processId, secretKey);
    };
    const end = () => {
      clearTimeout(timer);
      connection.stream.destroy();
      resolve();
    };
    const timer = setTimeout(end, patience).unref();
    connection.on('connect', () => {
      if (tls === false) send();
      else connection.requestSsl();
    });
    connection.on('sslconnect', send).on('error', end).on('end', end);
    connection.connect(port, address);
  });
}
