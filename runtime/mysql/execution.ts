/** One execution of a prepared statement: what the driver knows of its columns and their values, but columns that are those of last time are not read anew, and rows become JSON as they arrive. */
import type { Connection, TypeCastField, TypeCastNext } from 'mysql2';
import type { Row } from '../handler/json.js';
import { unreadable, type DatabaseFailure } from '../sql/failure.js';
import type { Query } from '../sql/driver.js';
import { rowDecoder, type RowDecoder } from '../sql/rows.js';
import { mysqlDecoder, orderedDecoder, type MysqlColumn, type MysqlValue } from './column-types.js';
import {
  executeClass,
  markAsQuery,
  submit,
  type Execute,
  type ExecuteClass,
  type ExecuteOptions,
  type Mysql2Connection,
  type Packet,
  type Prepared,
  type RowParser,
  type State,
} from './driver-internals.js';
import type { MysqlParameter } from './parameter.js';

/** The outcome. */
export interface ExecutionResult {
  /** The rows of its first result that has columns. */
  readonly rows: Row[] | undefined;
  /** The report of the server for a result without columns, if that is the last one. */
  readonly outcome: Outcome | undefined;
}

export interface Outcome {
  readonly insertId: number | string;
  readonly affectedRows: number;
}

/** Called once: with the result, or with an error of the driver and no result. */
export type ExecutionCallback = (error: unknown, result?: ExecutionResult) => void;

/** The shape of the statement's last result. */
class Shape {
  /** Its columns, as the server described them. */
  readonly packets: Buffer[] = [];
  readonly columns: MysqlColumn[] = [];
  parser: RowParser | undefined;
  decode: RowDecoder<MysqlValue> | undefined;

  constructor(
    readonly statement: Prepared,
    readonly query: ExecutedQuery,
    /** How its rows are read, where not as usual. */
    readonly options: Pick<ExecuteOptions, 'typeCast'>,
  ) {}
}

const shapes = new WeakMap<Prepared, Shape>();

/** SERVER_MORE_RESULTS_EXISTS. */
const moreResults = 8;

/** The executed statement: its text is also for traces. */
export type ExecutedQuery = Pick<Query, 'text' | 'columnNames' | 'orderColumns'>;

/** Executes the statement. */
export function execute(
  connection: Connection,
  statement: Prepared,
  query: ExecutedQuery,
  values: readonly MysqlParameter[],
  done: ExecutionCallback,
  onRow?: Query['onRow'],
): void {
  Execution ??= makeExecution(executeClass(statement), connection);
  let shape = shapes.get(statement);
  // The same text can be another statement of the configuration, whose reader does not need the names of its columns.
  if (shape === undefined || (query.columnNames !== undefined && shape.query.columnNames === undefined)) {
    const hasGeometry = statement.columns.some(({ columnType }) => columnType === geometry);
    shape = new Shape(statement, query, hasGeometry ? { typeCast: geometryAsBytes } : {});
    shapes.set(statement, shape);
  }
  submit(
    connection,
    new Execution(
      { statement, sql: query.text, values, rowsAsArray: true, ...shape.options },
      shape,
      done,
      onRow,
    ),
  );
}

const geometry = 255;

/** The driver's own reading of geometries loses their kind: they are read as bytes. */
function geometryAsBytes(field: TypeCastField, next: TypeCastNext): unknown {
  return (field.type as string) === 'GEOMETRY' ? field.buffer() : next();
}

type ExecutionClass = new (
  options: ExecuteOptions,
  shape: Shape,
  done: ExecutionCallback,
  onRow: Query['onRow'],
) => Execute;

let Execution: ExecutionClass | undefined;

function makeExecution(Base: ExecuteClass, connection: Connection): ExecutionClass {
  class Execution extends Base {
    rows: Row[] | undefined;
    failure: DatabaseFailure | undefined;

    constructor(
      options: ExecuteOptions,
      readonly shape: Shape,
      done: ExecutionCallback,
      readonly onRow: Query['onRow'],
    ) {
      super(options, done as Execute['onResult']);
      // For who traces statements, these would be written into the text.
      this.values = null;
    }

    override readField(packet: Packet, connection: Mysql2Connection): State {
      return column.call(this, packet, connection);
    }

    /** Reads a column that differs from last time, from a copy: the driver's column refers to the buffer. */
    learn(packet: Packet, connection: Mysql2Connection): void {
      const { shape, _receivedFieldsCount: index } = this;
      const buffer = Buffer.from(packet.buffer.subarray(packet.start, packet.end));
      const copy = Object.assign(packet.clone(), { buffer, start: 0, offset: header, end: buffer.length });
      super.readField(copy, connection);
      const column = this._fields[this._resultIndex]?.pop();
      if (column === undefined) throw new Error('the driver has read no column');
      shape.packets[index] = buffer;
      shape.columns[index] = column;
      shape.parser = undefined;
    }

    done(): null {
      const last = this._rows.at(-1);
      const outcome = Array.isArray(last) ? undefined : (last as Outcome | undefined);
      if (this.failure === undefined) this.onResult(null, { rows: this.rows, outcome });
      else this.onResult(this.failure);
      return null;
    }
  }

  // The states in which the driver passes packets to it.
  function column(this: Execution, packet: Packet, connection: Mysql2Connection): State {
    const { shape, _receivedFieldsCount: index } = this;
    const isKnown =
      this.rows !== undefined ||
      shape.packets[index]?.compare(packet.buffer, packet.start + header, packet.end, header) === 0;
    if (isKnown) this._receivedFieldsCount += 1;
    else this.learn(packet, connection);
    return this._receivedFieldsCount === this._fieldCount ? endOfColumns : column;
  }

  function endOfColumns(this: Execution, packet: Packet, connection: Mysql2Connection): State {
    // An error that is thrown here ends the connection.
    if (!packet.isEOF()) throw new Error('the columns have no end');
    if (this.rows === undefined) {
      const { shape, _fieldCount: count } = this;
      if (shape.packets.length !== count) {
        shape.packets.length = shape.columns.length = count;
        shape.parser = undefined;
      }
      if (shape.parser === undefined) {
        const { columns, statement, query } = shape;
        shape.parser = new (this.buildParserFromFields(columns, connection))();
        const names = spelled(
          columns.map(({ name }) => name),
          query.columnNames,
        );
        shape.decode = rowDecoder(
          names,
          columns.map((column, index) => {
            const decode = mysqlDecoder(column, statement.columns[index], query.text);
            const isCompared = query.orderColumns?.includes(names[index] ?? '') === true;
            return isCompared ? orderedDecoder(column, decode) : decode;
          }),
        );
      }
      this.rows = this._currentRows as Row[];
    }
    return row;
  }

  function row(this: Execution, packet: Packet): State {
    const { rows, shape } = this;
    const { parser, decode } = shape;
    if (packet.isEOF()) {
      if ((packet.eofStatusFlags() & moreResults) === 0) return this.done();
      this._resultIndex += 1;
      return this.resultsetHeader;
    }
    try {
      // A procedure returns several results; the first one with rows is its result.
      if (rows !== undefined && rows === this._currentRows && parser !== undefined && decode !== undefined) {
        const decoded = decode(parser.next(packet, shape.columns, this.options));
        if (this.onRow === undefined) rows.push(decoded);
        else this.onRow(decoded);
      }
    } catch (error) {
      // The other rows arrive anyway.
      this.failure ??= unreadable(error);
    }
    return row;
  }

  markAsQuery(Execution as unknown as ExecuteClass, connection);
  return Execution;
}

/** The names as they are read: the server may spell them in another letter case. */
function spelled(names: readonly string[], wanted: readonly string[] = []): readonly string[] {
  const missing = wanted.filter((name) => !names.includes(name));
  if (missing.length === 0) return names;
  const byLowerCase = new Map(missing.map((name) => [name.toLowerCase(), name]));
  return names.map((name) => (wanted.includes(name) ? name : (byLowerCase.get(name.toLowerCase()) ?? name)));
}

/** The length of a packet, and its number. */
const header = 4;
