/** Executes a prepared statement like the driver, but without parsing unchanged columns again, and converts rows to JSON as they arrive. */
import type { Connection, TypeCastField, TypeCastNext } from 'mysql2';
import type { Row } from '../handler/json.js';
import { DatabaseFailure, unreadable } from '../sql/failure.js';
import type { Query } from '../sql/driver.js';
import { areSame, rowDecoder, type RowDecoder } from '../sql/rows.js';
import { haveColumnsOf } from './elements.js';
import {
  mysqlDecoder,
  orderedDecoder,
  truthDecoder,
  type MysqlColumn,
  type MysqlValue,
} from './column-types.js';
import {
  executeClass,
  markAsQuery,
  packetHeader,
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
import { MysqlRows } from './row-format.js';

/** The result of an execution. */
export interface ExecutionResult {
  /** The rows of the first result with columns. */
  readonly rows: Row[] | undefined;
  /** The server status, if the last result does not have columns. */
  readonly outcome: Outcome | undefined;
}

export interface Outcome {
  readonly insertId: number | string;
  readonly affectedRows: number;
}

/** Called once, either with a result or with an error of the driver. */
export type ExecutionCallback = (error: unknown, result?: ExecutionResult) => void;

/** The shape of the latest result of a statement. */
class Shape {
  /** The column descriptions from the server. */
  readonly packets: Buffer[] = [];
  readonly columns: MysqlColumn[] = [];
  /** How rows are read; undefined until the columns are known. */
  rows: ShapeRows | undefined;

  constructor(
    readonly statement: Prepared,
    readonly query: StatementText,
    /** Options that differ from the defaults for reading rows. */
    readonly options: Pick<ExecuteOptions, 'typeCast'>,
  ) {}
}

/** How rows are read: as objects, or by a sink. */
interface ShapeRows {
  readonly parser: RowParser;
  readonly decode: RowDecoder<MysqlValue>;
  readonly format: MysqlRows;
}

/** A short list for each statement, because several configured statements can have the same SQL but read rows differently. */
const shapes = new WeakMap<Prepared, Shape[]>();

/** SERVER_MORE_RESULTS_EXISTS. */
const moreResults = 8;

/** The executed statement. Traces show its SQL. */
type StatementText = Pick<Query, 'text' | 'columnNames' | 'truths' | 'orderColumns'> & {
  /** The statement for one element, if this statement is for several elements. Its columns must match, and are followed by the position. */
  readonly one?: Prepared | undefined;
};

/** A statement with the receiver of its rows. */
export type ExecutedQuery = StatementText & Pick<Query, 'onRow' | 'sink'>;

/** Executes the statement. */
export function execute(
  connection: Connection,
  statement: Prepared,
  query: ExecutedQuery,
  values: readonly MysqlParameter[],
  done: ExecutionCallback,
): void {
  Execution ??= makeExecution(executeClass(statement), connection);
  const known = shapes.get(statement) ?? [];
  let shape = known.find((one) => isReadAlike(one.query, query));
  if (shape === undefined) {
    const hasGeometry = statement.columns.some(({ columnType }) => columnType === geometry);
    // A copy, because the sink of the query holds the rows of one run.
    const { text, columnNames, truths, orderColumns } = query;
    const own = {
      text,
      truths,
      orderColumns,
      one: query.one,
      ...(columnNames === undefined ? {} : { columnNames }),
    };
    shape = new Shape(statement, own, hasGeometry ? { typeCast: geometryAsBytes } : {});
    shapes.set(statement, [...known, shape]);
  }
  submit(
    connection,
    new Execution(
      { statement, sql: query.text, values, rowsAsArray: true, ...shape.options },
      shape,
      query,
      done,
    ),
  );
}

/** Whether two statements read rows in the same way. A statement that does not define column names accepts the names of another. */
function isReadAlike(
  known: StatementText,
  { columnNames, truths, orderColumns, one }: StatementText,
): boolean {
  const hasNames = columnNames === undefined || areSame(known.columnNames, columnNames);
  const areSeveral = (known.one === undefined) === (one === undefined);
  return hasNames && areSeveral && areSame(known.truths, truths) && areSame(known.orderColumns, orderColumns);
}

const geometry = 255;

/** Reads geometries as bytes, because the driver's parser drops their kind. */
function geometryAsBytes(field: TypeCastField, next: TypeCastNext): unknown {
  return (field.type as string) === 'GEOMETRY' ? field.buffer() : next();
}

type ExecutionClass = new (
  options: ExecuteOptions,
  shape: Shape,
  query: ExecutedQuery,
  done: ExecutionCallback,
) => Execute;

let Execution: ExecutionClass | undefined;

function makeExecution(Base: ExecuteClass, connection: Connection): ExecutionClass {
  class Execution extends Base {
    rows: Row[] | undefined;
    failure: DatabaseFailure | undefined;
    /** Number of rows held by the sink. */
    taken = 0;

    constructor(
      options: ExecuteOptions,
      readonly shape: Shape,
      readonly query: ExecutedQuery,
      done: ExecutionCallback,
    ) {
      super(options, done as Execute['onResult']);
      // Otherwise, tracing tools would insert the values into the SQL.
      this.values = null;
    }

    override readField(packet: Packet, connection: Mysql2Connection): State {
      return column.call(this, packet, connection);
    }

    /** Reads a column that has changed, from a copy of the packet, because the driver's column refers to the buffer. */
    learn(packet: Packet, connection: Mysql2Connection): void {
      const { shape, _receivedFieldsCount: index } = this;
      const buffer = Buffer.from(packet.buffer.subarray(packet.start, packet.end));
      const copy = Object.assign(packet.clone(), {
        buffer,
        start: 0,
        offset: packetHeader,
        end: buffer.length,
      });
      super.readField(copy, connection);
      const column = this._fields[this._resultIndex]?.pop();
      if (column === undefined) throw new Error('the driver has read no column');
      shape.packets[index] = buffer;
      shape.columns[index] = column;
      shape.rows = undefined;
    }

    done(): null {
      const last = this._rows.at(-1);
      const outcome = Array.isArray(last) ? undefined : (last as Outcome | undefined);
      if (this.failure === undefined) this.onResult(null, { rows: this.rows, outcome });
      else this.onResult(this.failure);
      return null;
    }
  }

  // The following functions are the states in which the driver passes packets to the execution.
  function column(this: Execution, packet: Packet, connection: Mysql2Connection): State {
    const { shape, _receivedFieldsCount: index } = this;
    const isKnown =
      this.rows !== undefined ||
      shape.packets[index]?.compare(packet.buffer, packet.start + packetHeader, packet.end, packetHeader) ===
        0;
    if (isKnown) this._receivedFieldsCount += 1;
    else this.learn(packet, connection);
    return this._receivedFieldsCount === this._fieldCount ? endOfColumns : column;
  }

  function endOfColumns(this: Execution, packet: Packet, connection: Mysql2Connection): State {
    // An error thrown here ends the connection.
    if (!packet.isEOF()) throw new Error('the columns have no end');
    if (this.rows === undefined) {
      const { shape, _fieldCount: count } = this;
      if (shape.packets.length !== count) {
        shape.packets.length = shape.columns.length = count;
        shape.rows = undefined;
      }
      shape.rows ??= rowsOf(shape, new (this.buildParserFromFields(shape.columns, connection))());
      const { one } = this.query;
      if (one !== undefined && !haveColumnsOf(one, shape.columns))
        this.failure = new DatabaseFailure({ kind: 'unexpected', reason: 'its columns have other types' });
      this.rows = this._currentRows as Row[];
      this.query.sink?.begin(shape.rows.format);
    }
    return row;
  }

  function row(this: Execution, packet: Packet): State {
    const { rows, shape, query } = this;
    if (packet.isEOF()) {
      if ((packet.eofStatusFlags() & moreResults) === 0) return this.done();
      this._resultIndex += 1;
      return this.resultsetHeader;
    }
    // A procedure returns several results; only the first one with rows counts.
    if (rows === undefined || rows !== this._currentRows || shape.rows === undefined) return row;
    const { parser, decode, format } = shape.rows;
    try {
      if (query.sink !== undefined) {
        if (query.onRow === undefined) this.taken += 1;
        format.pass(packet, this.options, query.sink);
        return row;
      }
      if (this.failure !== undefined) return row;
      const raw = parser.next(packet, shape.columns, this.options);
      const decoded = query.one === undefined ? decode(raw) : { place: Number(raw.at(-1)), row: decode(raw) };
      if (query.onRow === undefined) rows.push(decoded);
      else query.onRow(decoded);
    } catch (error) {
      // The remaining rows still arrive.
      this.failure ??= unreadable(error);
    }
    return row;
  }

  markAsQuery(Execution as unknown as ExecuteClass, connection);
  return Execution;
}

function rowsOf({ statement, query, columns }: Shape, parser: RowParser): ShapeRows {
  const names = spelled(
    (query.one === undefined ? columns : columns.slice(0, -1)).map(({ name }) => name),
    query.columnNames,
  );
  const isTruth = names.map((name) => query.truths?.includes(name) === true);
  const decoders = columns.map((column, index) => {
    const decode = mysqlDecoder(column, statement.columns[index], query.text);
    return isTruth[index] === true ? truthDecoder(decode) : decode;
  });
  const format = new MysqlRows(names, columns, statement.columns, decoders, parser, isTruth);
  const decode = rowDecoder(
    names,
    decoders.map((own, index) => {
      const column = columns[index];
      const isCompared = query.orderColumns?.includes(names[index] ?? '') === true;
      return isCompared && column !== undefined ? orderedDecoder(column, own) : own;
    }),
  );
  return { parser, decode, format };
}

/** The names used by the reader: the server may report names in a different letter case. */
function spelled(names: readonly string[], wanted: readonly string[] = []): readonly string[] {
  const missing = wanted.filter((name) => !names.includes(name));
  if (missing.length === 0) return names;
  const byLowerCase = new Map(missing.map((name) => [name.toLowerCase(), name]));
  return names.map((name) => (wanted.includes(name) ? name : (byLowerCase.get(name.toLowerCase()) ?? name)));
}
