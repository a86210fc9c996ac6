/** Undocumented members of mysql2 that the runtime uses. `test/runtime/sql/mysql-driver.test.ts` checks each of them. */
import type { Socket } from 'node:net';
import type { Connection, Query, QueryError } from 'mysql2';
import type { MysqlColumn, MysqlValue } from './column-types.js';

/** A packet from the server; the driver reuses one object for all packets. */
export interface Packet {
  readonly sequenceId: number;
  readonly buffer: Buffer;
  /** The start and end in the buffer. The first four bytes are the length and sequence number. */
  readonly start: number;
  readonly end: number;
  isEOF(): boolean;
  eofStatusFlags(): number;
  clone(): Packet;
}

/** Bytes of the packet header, which contains the length and sequence number. */
export const packetHeader = 4;

/** The function that a command calls with the next packet; null at the end of the result. */
export type State = ((packet: Packet, connection: Mysql2Connection) => State) | null;

/** A command in the driver's queue. */
interface Command {
  /** Null before the command has started. */
  readonly next: State;
  /** Starts, or handles a packet. Returns true at the end of the result. */
  execute(packet: Packet | null, connection: Mysql2Connection): boolean;
}

/** A statement prepared by the server for one connection. */
export interface Prepared {
  readonly columns: readonly MysqlColumn[];
  /** Releases the statement on the server, after everything sent before. */
  close(): void;
  readonly execute: (this: { readonly _connection: object }, values: readonly unknown[]) => object;
}

/** Reads rows with fixed columns. */
export interface RowParser {
  next(packet: Packet, columns: readonly MysqlColumn[], options: unknown): (MysqlValue | null)[];
}

/** The driver's execution of a prepared statement, reduced to the members needed for a subclass. */
export interface Execute extends Command {
  sql: string;
  values: unknown;
  readonly options: unknown;
  readonly _fieldCount: number;
  _receivedFieldsCount: number;
  _resultIndex: number;
  /** The columns of each result. */
  readonly _fields: readonly MysqlColumn[][];
  /** The rows of each result, or the server status for a result without rows. */
  readonly _rows: readonly unknown[];
  /** The rows of the current result. */
  readonly _currentRows: unknown[] | null;
  onResult: (error: unknown, result?: unknown) => void;
  readonly resultsetHeader: State;
  readField(packet: Packet, connection: Mysql2Connection): State;
  buildParserFromFields(columns: readonly MysqlColumn[], connection: Mysql2Connection): new () => RowParser;
}

/** A statement with its values, and options for reading its rows. */
export interface ExecuteOptions {
  readonly sql: string;
  readonly statement: Prepared;
  readonly values: readonly unknown[];
  readonly rowsAsArray: true;
  readonly typeCast?: unknown;
}

/** The rows of a command: in the list of the driver, or passed to a sink by the subclass. */
interface Counted extends Pick<Execute, '_currentRows'> {
  readonly taken: number;
}

export type ExecuteClass = new (options: ExecuteOptions, onResult: Execute['onResult']) => Execute;

/** A connection of the driver. */
export interface Mysql2Connection {
  readonly stream: Socket;
  sequenceId: number;
  /** The driver's cache of statements by SQL. */
  _statements: { get(key: string): undefined; set(key: string, statement: Prepared): void; clear(): void };
  /** The command whose result is next, and the queued commands. */
  readonly _command: (Command & Partial<Counted>) | null | undefined;
  readonly _commands: { push(command: Command): void };
  addCommand(command: Command): unknown;
  /** Handles a packet; without a packet, starts the next command. */
  handlePacket(packet?: Packet): void;
}

/** Throws if the driver version is not supported. */
export function checkDriver(connection: object): void {
  const missing = [
    'addCommand',
    'handlePacket',
    'prepare',
    'query',
    'stream',
    'sequenceId',
    '_statements',
    '_command',
    '_commands',
  ].find((name) => !(name in connection));
  if (missing !== undefined)
    throw new Error(
      `mysql2 is not the version that this service was made for: a connection has no ${missing}`,
    );
}

function inside(connection: Connection): Mysql2Connection {
  return connection as unknown as Mysql2Connection;
}

/** The socket of the connection. Destroying the socket is the only way to end an unresponsive connection. */
export function socketOf(connection: Connection): Socket {
  return inside(connection).stream;
}

/** Number of rows of the current result that have arrived. */
export function rowsOf(connection: Connection): number {
  const { _currentRows: rows, taken = 0 } = inside(connection)._command ?? {};
  return (rows?.length ?? 0) + taken;
}

/** The server status for a result without rows. */
interface Reported {
  readonly serverStatus?: number;
  /** Session state changed by the statement (`session_track_schema`). */
  readonly stateChanges?: { readonly schema?: string };
}

/** The last server status for a result without rows; undefined for rows, whose columns can have any name. */
export function statusOf(result: unknown): number | undefined {
  return reportedWith(result)?.serverStatus;
}

/** Whether the statement has changed the current database. */
export function changesDatabase(result: unknown): boolean {
  return reportedWith(result)?.stateChanges?.schema !== undefined;
}

function reportedWith(result: unknown): Reported | undefined {
  const areRows = Array.isArray(result) && !Array.isArray(result[0]);
  return areRows ? undefined : ((Array.isArray(result) ? result.at(-1) : result) as Reported | undefined);
}

/**
 * Disables the driver's statement cache on a new connection: the code that prepares a statement must cache and close it. Throws if the
 * driver version is not supported.
 */
export function forgetStatements(connection: Connection): void {
  checkDriver(connection);
  inside(connection)._statements = { get: () => undefined, set: () => undefined, clear: () => undefined };
}

/** Prepares the statement on the server. */
export function prepare(
  connection: Connection,
  text: string,
  done: (error: QueryError | null, prepared?: Prepared) => void,
): void {
  connection.prepare(text, (error, prepared) => {
    done(error, prepared as unknown as Prepared | undefined);
  });
}

/** The driver's class for executions. The class is not exported, so it is obtained from an execution that is never sent. */
export function executeClass({ execute }: Prepared): ExecuteClass {
  const taker = { _connection: { addCommand: (command: object) => command } };
  return execute.call(taker, []).constructor as ExecuteClass;
}

/** Makes `connection.query` accept these commands, so that tracing tools see them. */
export function markAsQuery(commands: ExecuteClass, connection: Connection): void {
  const { createQuery } = connection.constructor as unknown as {
    readonly createQuery: (sql: string, values: undefined, done: undefined, config: object) => Query;
  };
  const prototype = commands.prototype as { constructor: unknown };
  prototype.constructor = createQuery('', undefined, undefined, {}).constructor;
}

/** Sends or queues an execution. */
export function submit(connection: Connection, command: Execute): void {
  connection.query(command as unknown as Query);
}

/**
 * Makes the connection send each command immediately, without waiting for earlier results; the server handles them in order. An
 * unexpected result ends the connection.
 */
export function sendAtOnce(connection: Connection): void {
  const own = inside(connection);
  const add = own.addCommand.bind(connection);
  const handle = own.handlePacket.bind(connection);
  let isBroken = false;
  own.addCommand = (command) => {
    if (!own._command) return add(command);
    // This command receives the result that is arriving.
    const { sequenceId } = own;
    const hasEnded = command.execute(null, own);
    own.sequenceId = sequenceId;
    if (!hasEnded) own._commands.push(command);
    return command;
  };
  own.handlePacket = (packet) => {
    const { _command: command } = own;
    if (isBroken) return;
    if (packet !== undefined && packet.sequenceId !== own.sequenceId) {
      isBroken = true;
      own.stream.destroy(new Error('an unexpected response'));
    } else if (packet === undefined && command?.next !== null && command?.next !== undefined) {
      // The command has already started: its result has the sequence number after that of its own packet.
      own.sequenceId = 1;
    } else handle(packet);
  };
}
