/** The driver's client, with settings of the session that it does not know, and a parser whose failure costs no more than the connection. */
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';

/** What is said to the server while connecting, besides user and database. */
export type Startup = Readonly<Record<string, string>>;

/** What the driver declares nowhere; the tests see to it. */
interface Inside {
  readonly connection: EventEmitter & { readonly stream: Socket };
  readonly processID: number | null;
  readonly secretKey: number | null;
}

interface Listening {
  on(event: string, listener: (...values: unknown[]) => void): unknown;
}

/** The driver's connection, as it is and not as it is declared. */
const DriverConnection = pg.Connection as unknown as new (settings: {
  readonly ssl: unknown;
}) => EventEmitter & {
  readonly stream: Socket;
  attachListeners(stream: Listening): void;
  startup(settings: Startup): void;
};

class SafeConnection extends DriverConnection {
  constructor(
    ssl: unknown,
    private readonly settings: Startup,
  ) {
    super({ ssl });
  }

  override startup(settings: Startup): void {
    super.startup({ ...settings, ...this.settings });
  }

  /** The driver reads what comes right in the socket's event, where whatever is thrown would end the process. */
  override attachListeners(stream: Socket): void {
    super.attachListeners({
      on: (event, listener) =>
        stream.on(event, (...values: unknown[]) => {
          try {
            listener(...values);
          } catch (error) {
            stream.destroy();
            this.emit('error', new Error('Connection terminated: its data cannot be read', { cause: error }));
          }
        }),
    });
  }
}

/** A client that is not connected yet; `startup` is sent besides the driver's own settings. */
export function createClient(settings: Readonly<Record<string, unknown>>, startup: Startup): pg.Client {
  const connection = new SafeConnection(settings['ssl'], startup);
  return new pg.Client({ ...settings, connection } as pg.ClientConfig);
}

/** The socket below a client. */
export function socketOf(client: pg.Client): Socket {
  return (client as unknown as Inside).connection.stream;
}

/** What the server asks for to end what runs on the connection of a client. */
export function cancelKeyOf(client: pg.Client): { processId: number; secretKey: number } | undefined {
  const { processID, secretKey } = client as unknown as Inside;
  return processID === null || secretKey === null ? undefined : { processId: processID, secretKey };
}
