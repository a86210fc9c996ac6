/**
 * Members of pg that the runtime uses although they are undocumented or declared differently.
 * `test/runtime/sql/postgres-driver.test.ts` checks each of them.
 */
import type { EventEmitter } from 'node:events';
import { Socket, type ConnectOpts, type SocketConstructorOpts } from 'node:net';
import './navigator.js';
import { Frames, type ResultReader } from './frames.js';
import pg, { type Client, type Connection } from 'pg';

/** Parameters sent to the server while connecting, in addition to user and database. */
export type Startup = Readonly<Record<string, string>>;

interface Inside {
  readonly connection: EventEmitter & { readonly stream: Socket };
  readonly processID: number | null;
  readonly secretKey: number | null;
  /** The transaction status in the last ReadyForQuery: I, T or E. */
  readonly _txStatus?: string | null;
  pipeline: boolean;
  _getActiveQuery(): unknown;
}

function inside(client: Client): Inside {
  return client as unknown as Inside;
}

interface Listening {
  on(event: string, listener: (...values: unknown[]) => void): unknown;
}

/** The driver's connection class with its actual members, some of which are not declared. */
const DriverConnection = pg.Connection as unknown as new (settings: {
  readonly ssl: unknown;
  readonly stream?: Socket;
}) => EventEmitter & {
  readonly stream: Socket;
  attachListeners(stream: Listening): void;
  startup(settings: Startup): void;
  connect(port: number, host: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
};

/** Maximum number of bytes read from the server at a time, as in Node. */
const chunkLength = 64 * 1024;

/**
 * A socket that reads into a single buffer, so listeners must copy the bytes that they keep. Otherwise each chunk would have its own
 * buffer, which garbage collection frees late.
 */
function socketWithBuffer(): Socket {
  const buffer = Buffer.allocUnsafeSlow(chunkLength);
  // The types only declare `onread` for connect options.
  const options: SocketConstructorOpts & Pick<ConnectOpts, 'onread'> = {
    onread: {
      buffer,
      callback: (length) => {
        socket.emit('data', buffer.subarray(0, length));
        return true;
      },
    },
  };
  const socket = new Socket(options);
  return socket;
}

class SafeConnection extends DriverConnection {
  /** Undefined before the connection is established. */
  frames: Frames | undefined;
  /** Returns the reader of the result that is arriving. */
  readerOfResult: () => ResultReader | undefined = () => undefined;

  constructor(
    ssl: unknown,
    private readonly settings: Startup,
  ) {
    super(ssl === false ? { ssl, stream: socketWithBuffer() } : { ssl });
  }

  override startup(settings: Startup): void {
    super.startup({ ...settings, ...this.settings });
  }

  /** The driver parses messages in the socket's event handler, where a thrown error would end the process. */
  override attachListeners(stream: Socket): void {
    super.attachListeners({
      on: (event, listener) => {
        const listeners = event === 'data' ? this.behindFrames(listener) : listener;
        return stream.on(event, (...values: unknown[]) => {
          try {
            listeners(...values);
          } catch (error) {
            stream.destroy();
            this.emit('error', new Error('Connection terminated: its data cannot be read', { cause: error }));
          }
        });
      },
    });
  }

  private behindFrames(listener: (chunk: Buffer) => void): (...values: unknown[]) => void {
    const frames = new Frames(listener, () => this.readerOfResult());
    this.frames = frames;
    return (chunk) => {
      frames.read(chunk as Buffer);
    };
  }
}

/** A client that is not yet connected. `startup` is sent in addition to the driver settings. */
export function createClient(settings: Readonly<Record<string, unknown>>, startup: Startup): Client {
  const connection = new SafeConnection(settings['ssl'], startup);
  return new pg.Client({ ...settings, connection } as pg.ClientConfig);
}

/** The socket of a client. */
export function socketOf(client: Client): Socket {
  return inside(client).connection.stream;
}

/** Whether a transaction was open at the server's last report; undefined before the first report. */
export function isInTransaction(client: Client): boolean | undefined {
  const { _txStatus: status } = inside(client);
  return status === undefined || status === null ? undefined : status !== 'I';
}

/** Whether the next queries are sent without waiting for earlier results. */
export function pipeline(client: Client, isOn: boolean): void {
  inside(client).pipeline = isOn;
}

/** Reported settings whose value has changed since the connection was established. */
export interface ChangedSettings {
  /** If true, reported values are compared with the initial values. */
  isOpen: boolean;
  readonly names: Set<string>;
}

/** Tracks changed settings. Call before connecting. */
export function watchSettings(client: Client): ChangedSettings {
  const opened = new Map<string, string>();
  const changed: ChangedSettings = { isOpen: false, names: new Set() };
  const listener = ({ parameterName: name, parameterValue: value }: ParameterStatus) => {
    if (!changed.isOpen) opened.set(name, value);
    else if (opened.get(name) === value) changed.names.delete(name);
    else changed.names.add(name);
  };
  inside(client).connection.on('parameterStatus', listener);
  return changed;
}

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/** Milliseconds before an unresponsive server is disconnected. */
const timeLimit = 2000;

/**
 * Asks the server of this connection (a host name can resolve to several servers) to cancel the running statement. Resolves when the
 * server has accepted the request, which it signals by closing the connection. `tls` are driver settings. Never fails.
 */
export function cancelStatement(client: Client, tls: unknown): Promise<void> {
  const { processID: processId, secretKey } = inside(client);
  const { remoteAddress: address, remotePort: port } = socketOf(client);
  if (processId === null || secretKey === null || address === undefined || port === undefined)
    return Promise.resolve();
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

/** Protocol messages sent by a custom query, which the driver documents but does not declare. */
export interface Wire {
  readonly stream: { readonly writable: boolean; cork(): void; uncork(): void; write(bytes: Buffer): void };
  parse(message: { text: string; name: string | undefined; types: readonly number[] }): void;
  bind(message: { statement: string | undefined; values: readonly (string | Buffer | null)[] }): void;
  describe(message: { type: 'P' | 'S'; name: string }): void;
  execute(message: Record<string, never>): void;
  close(message: { type: 'S'; name: string }): void;
  sync(): void;
  sendCopyFail(reason: string): void;
}

export function wireOf(connection: Connection): Wire {
  return connection as unknown as Wire;
}

/** The query whose result is arriving. */
export function activeQuery(client: Client): unknown {
  return inside(client)._getActiveQuery();
}

/** `reader` is called before messages of an arriving result, and returns the query that reads the result as bytes. */
export function readResults(client: Client, reader: () => ResultReader | undefined): void {
  const { connection } = inside(client);
  if (connection instanceof SafeConnection) connection.readerOfResult = reader;
}

/** Counts the active queries that read results as bytes. */
export function countReaders(connection: Connection, change: 1 | -1): void {
  const { frames } = connection as unknown as SafeConnection;
  if (frames !== undefined) frames.readers += change;
}

/** Calls the listeners for messages that the driver ignores. */
export function listenToMessages(
  client: Client,
  bound: () => void,
  parametersDescribed: (types: readonly number[]) => void,
): void {
  const { connection } = inside(client);
  connection.on('bindComplete', bound);
  connection.on('parameterDescription', ({ dataTypeIDs }: { readonly dataTypeIDs: readonly number[] }) => {
    parametersDescribed(dataTypeIDs);
  });
}

/** Makes the driver pipeline queries of this class. The driver only pipelines instances of its own class, whose constructor is slow. */
export function markAsQuery(queries: { readonly prototype: object }): void {
  Object.setPrototypeOf(queries.prototype, pg.Query.prototype);
}
