/** The members of mysql2 that are used although it does not document them; a test checks each (`test/runtime/sql/mysql-driver.test.ts`). */
import type { Socket } from 'node:net';
import type { Connection, Query, QueryError } from 'mysql2';
import type { MysqlColumn, MysqlValue } from './column-types.js';

/** A packet of the server; the driver uses one object for all of them. */
export interface Packet {
  readonly sequenceId: number;
  readonly buffer: Buffer;
  /** Its beginning and end in the buffer; its first four bytes are its length and number. */
  readonly start: number;
  readonly end: number;
  isEOF(): boolean;
  eofStatusFlags(): number;
  clone(): Packet;
}

/** The length of a packet, and its number. */
export const packetHeader = 4;

/** The function that a command calls with the next packet; null if its result has ended. */
export type State = ((packet: Packet, connection: Mysql2Connection) => State) | null;

/** An entry in the driver's queue. */
interface Command {
  /** Null before it has begun. */
  readonly next: State;
  /** Begins, or receives a packet; true if its result has ended. */
  execute(packet: Packet | null, connection: Mysql2Connection): boolean;
}

/** A statement that the server has prepared for a connection. */
export interface Prepared {
  readonly columns: readonly MysqlColumn[];
  /** Makes the server forget it, after everything sent before. */
  close(): void;
  readonly execute: (this: { readonly _connection: object }, values: readonly unknown[]) => object;
}

/** Reads a row of the columns. */
export interface RowParser {
  next(packet: Packet, columns: readonly MysqlColumn[], options: unknown): (MysqlValue | null)[];
}

/** The driver's execution of a prepared statement, reduced to the members needed for a custom one. */
export interface Execute extends Command {
  sql: string;
  values: unknown;
  readonly options: unknown;
  readonly _fieldCount: number;
  _receivedFieldsCount: number;
  _resultIndex: number;
  /** The columns of each result. */
  readonly _fields: readonly MysqlColumn[][];
  /** The rows of each result, or the report for a result without rows. */
  readonly _rows: readonly unknown[];
  /** The rows of the result that is arriving. */
  readonly _currentRows: unknown[] | null;
  onResult: (error: unknown, result?: unknown) => void;
  readonly resultsetHeader: State;
  readField(packet: Packet, connection: Mysql2Connection): State;
  buildParserFromFields(columns: readonly MysqlColumn[], connection: Mysql2Connection): new () => RowParser;
}

/** A statement with its values, and the way in which its rows are read. */
export interface ExecuteOptions {
  readonly sql: string;
  readonly statement: Prepared;
  readonly values: readonly unknown[];
  readonly rowsAsArray: true;
  readonly typeCast?: unknown;
}

/** The rows of a command: in the driver's list, or passed to a sink by our own class. */
interface Counted extends Pick<Execute, '_currentRows'> {
  readonly taken: number;
}

export type ExecuteClass = new (options: ExecuteOptions, onResult: Execute['onResult']) => Execute;

/** The connection. */
export interface Mysql2Connection {
  readonly stream: Socket;
  sequenceId: number;
  /** The statements that the driver caches by their SQL. */
  _statements: { get(key: string): undefined; set(key: string, statement: Prepared): void; clear(): void };
  /** The command whose result is next, and the commands after it. */
  readonly _command: (Command & Partial<Counted>) | null | undefined;
  readonly _commands: { push(command: Command): void };
  addCommand(command: Command): unknown;
  /** Without a packet: the command that is due begins. */
  handlePacket(packet?: Packet): void;
}

/** Throws if the driver is not the version for which this code was written. */
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

/** The socket below: the only way to end a connection that does not respond. */
export function socketOf(connection: Connection): Socket {
  return inside(connection).stream;
}

/** How many rows of the result that is arriving have arrived. */
export function rowsOf(connection: Connection): number {
  const { _currentRows: rows, taken = 0 } = inside(connection)._command ?? {};
  return (rows?.length ?? 0) + taken;
}

/** The server's report of a result without rows. */
interface Reported {
  readonly serverStatus?: number;
  /** The session's state, if the statement has changed it (`session_track_schema`). */
  readonly stateChanges?: { readonly schema?: string };
}

/** The status in the server's last report for a result without rows; undefined for rows, whose columns can have any name. */
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
 * Disables the driver's cache of statements on a new connection: whoever prepares a statement keeps and closes it. Throws if the driver is
 * not the expected version.
 */
export function forgetStatements(connection: Connection): void {
  checkDriver(connection);
  inside(connection)._statements = { get: () => undefined, set: () => undefined, clear: () => undefined };
}

/** Asks the server to prepare the statement. */
export function prepare(
  connection: Connection,
  text: string,
  done: (error: QueryError | null, prepared?: Prepared) => void,
): void {
  connection.prepare(text, (error, prepared) => {
    done(error, prepared as unknown as Prepared | undefined);
  });
}

/** The driver's class for executions, which is not exported: it is taken from an execution that is created and never sent. */
export function executeClass({ execute }: Prepared): ExecuteClass {
  const taker = { _connection: { addCommand: (command: object) => command } };
  return execute.call(taker, []).constructor as ExecuteClass;
}

/** Makes `query` of the connection accept such commands, so that tracing tools see them. */
export function markAsQuery(commands: ExecuteClass, connection: Connection): void {
  const { createQuery } = connection.constructor as unknown as {
    readonly createQuery: (sql: string, values: undefined, done: undefined, config: object) => Query;
  };
  const prototype = commands.prototype as { constructor: unknown };
  prototype.constructor = createQuery('', undefined, undefined, {}).constructor;
}

/** Sends an execution, or queues it. */
export function submit(connection: Connection, command: Execute): void {
  connection.query(command as unknown as Query);
}

/**
 * Makes the connection send each command immediately, without waiting for earlier results; the server reads the commands one after the
 * other. An unexpected result ends the connection.
 */
export function sendAtOnce(connection: Connection): void {
  const own = inside(connection);
  const add = own.addCommand.bind(connection);
  const handle = own.handlePacket.bind(connection);
  let isBroken = false;
  own.addCommand = (command) => {
    if (!own._command) return add(command);
    // The command of the arriving result.
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
      // The command has already begun: the number of its result follows that of its own packet.
      own.sequenceId = 1;
    } else handle(packet);
  };
}
