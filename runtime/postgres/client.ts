/** The driver's client, with settings of the session that it does not know, a parser whose failure costs no more than the connection, and the request to end a statement. */
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import './navigator.js';
import pg from 'pg';

/** What the server receives while connecting, besides user and database. */
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
  connect(port: number, host: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
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

  /** The driver reads messages directly in the socket's event, where a thrown error would end the process. */
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

/**
 * Keeps the names of the settings that have another value than at the end of connecting, of those whose changes the server reports. Call it
 * before connecting. `changed` is called with every report.
 */
export function watchSettings(client: pg.Client, changed: () => void): Settings {
  const opened = new Map<string, string>();
  const settings: Settings = { isOpen: false, changed: new Set() };
  const { connection } = client as unknown as Inside;
  connection.on('parameterStatus', ({ parameterName: name, parameterValue: value }: ParameterStatus) => {
    if (!settings.isOpen) opened.set(name, value);
    else if (opened.get(name) === value) settings.changed.delete(name);
    else settings.changed.add(name);
    changed();
  });
  return settings;
}

export interface Settings {
  /** From then on values are compared. */
  isOpen: boolean;
  readonly changed: Set<string>;
}

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/** What the server asks for to end what runs on the connection of a client. */
export function cancelKeyOf(client: pg.Client): { processId: number; secretKey: number } | undefined {
  const { processID, secretKey } = client as unknown as Inside;
  return processID === null || secretKey === null ? undefined : { processId: processID, secretKey };
}

/** Milliseconds after which a server that does not respond is disconnected. */
const timeLimit = 2000;

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
    const timer = setTimeout(end, timeLimit).unref();
    connection.on('connect', () => {
      if (tls === false) send();
      else connection.requestSsl();
    });
    connection.on('sslconnect', send).on('error', end).on('end', end);
    connection.connect(port, address);
  });
}
