/** Statements that ran on one connection to PostgreSQL, with their parameters and their shapes. */
import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import type { Encoder } from './encode.js';
import { PostgresTypes } from './column-types.js';
import { withReturning } from '../sql/sql-template.js';
import { areSame, RecentMap, rowDecoder, type Column, type Decode, type RowDecoder } from '../sql/rows.js';

/** The result columns of a prepared statement on one connection: the server refuses to run it if they have changed. */
export interface Shape {
  columns?: readonly Column<number>[];
  decode?: RowDecoder<string>;
}

/** The types of a statement's parameters, and until when nobody asks again. */
export interface ParameterTypes {
  readonly types: readonly number[];
  readonly until: number;
}

/**
 * A statement that is prepared but never run. It returns the columns that a writing statement has written, and is described right before
 * it: if the columns have changed, the server refuses the description, and skips the statement.
 */
export interface Guard {
  readonly text: string;
  readonly name: string;
  /** Asks the server to describe it. */
  readonly describe: Buffer;
  isPrepared: boolean;
  /** When it was prepared, in milliseconds of `performance.now()`. */
  since: number;
}

/** A statement on one connection. */
export class PostgresStatement {
  /** The name under which connections know it. */
  readonly name: string;
  /** The beginning of Bind: its type, a place for its length, an empty portal, the name, and the text format for all values. */
  readonly bind: Buffer;
  /** Whether the server keeps it under its name, or has been asked to. */
  isPrepared = false;
  /** Whether the connection no longer keeps it. */
  isForgotten = false;
  /** Whether it had no columns when the server was last asked. */
  hasNoColumns = false;
  /** The types of its parameters, as the server reported them. */
  parameters: readonly number[] | undefined;
  /** The guard that stops it if a table has changed; created on first use. */
  guard: Guard | undefined;
  /** Whether a value is written in a form that only some types have. The server would convert it to the type of a changed column. */
  hasForms = false;
  /** How their values are written. */
  encoders: readonly Encoder[] | undefined;
  /** When the server is asked for them again, in milliseconds of `performance.now()`. */
  until = 0;
  shape: Shape = {};
  /** Whether its rows belong to elements: the first column is then the position of the element. */
  isOfEach = false;
  /** The columns of its last result, and the decoder of its rows. */
  private known:
    { readonly columns: readonly Column<number>[]; readonly decode: RowDecoder<string> } | undefined;

  /** `orderColumns`: columns in which NaN and infinities must differ from null. */
  constructor(
    readonly text: string,
    readonly types: PostgresTypes,
    private readonly orderColumns: readonly string[],
  ) {
    this.name = nameOf(keyOf(text, orderColumns));
    this.bind = Buffer.from(`B\0\0\0\0\0${this.name}\0\0\0`, 'latin1');
  }

  /** Undefined if a type has to be looked up in the database. */
  decoderOf(columns: readonly Column<number>[]): RowDecoder<string> | undefined {
    if (this.known !== undefined && haveSameShape(this.known.columns, columns)) return this.known.decode;
    const decoders = this.types.knownDecoders(columns);
    return decoders && this.learn(columns, decoders);
  }

  /** Makes the decoder of its rows, and remembers it. */
  learn(columns: readonly Column<number>[], decoders: readonly Decode<string>[]): RowDecoder<string> {
    const names = columns.map(({ name }) => name);
    const decode = this.isOfEach
      ? ofElement(rowDecoder(names.slice(1), decoders.slice(1)))
      : rowDecoder(
          names,
          decoders.map((own, index) =>
            this.orderColumns.includes(names[index] ?? '') ? withOrdered(own) : own,
          ),
        );
    this.known = { columns, decode };
    return decode;
  }

  /** Its guard. */
  guarded(): Guard {
    if (this.guard === undefined) {
      const name = `g${this.name.slice(1)}`;
      const describe = Buffer.from(`D\0\0\0\0S${name}\0`, 'latin1');
      describe.writeInt32BE(describe.length - 1, 1);
      // The columns that the author returns can differ from those that are written.
      const text = withReturning(this.text, returnsRows(this.text) ? ', *' : 'RETURNING *');
      this.guard = { text, name, describe, isPrepared: false, since: 0 };
    }
    return this.guard;
  }

  /** Sets its parameters as the server now reports them. If they have changed, it is prepared again. */
  learnParameters({ types, until }: ParameterTypes, encoders: readonly Encoder[]): void {
    if (this.parameters !== undefined && !areSame(this.parameters, types)) this.reset();
    this.parameters = types;
    this.hasForms = !types.every((type) => plainTypes.has(type));
    this.encoders = encoders;
    this.until = until;
  }

  /** Makes it be prepared again, because its preparation is outdated. */
  reset(): void {
    this.isPrepared = false;
    this.parameters = undefined;
    this.encoders = undefined;
    this.shape = {};
  }
}

/** Strings, quoted names and comments. */
const enclosed = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[^]*?\$\1\$|--[^\n]*|\/\*[^]*?\*\//g;

/** Whether RETURNING is that of the whole statement, and not of a statement in its WITH. */
function returnsRows(text: string): boolean {
  let [outer, before] = [text.replaceAll(enclosed, ' '), ''];
  while (outer !== before) [outer, before] = [outer.replaceAll(/\([^()]*\)/g, ' '), outer];
  return /\breturning\b/i.test(outer);
}

/** Integers, strings and UUIDs: converting them to another type gives the same value as sending them as that type. */
const plainTypes: ReadonlySet<number> = new Set([19, 20, 21, 23, 25, 26, 1042, 1043, 2950]);

function ofElement(decode: RowDecoder<string>): RowDecoder<string> {
  return (raw) => ({ place: Number(raw[0]), row: decode(raw.slice(1)) });
}

/** NaN and infinities are null in JSON, but lists need their order. */
export function withOrdered(decode: Decode<string>): Decode<string> {
  return (raw) => decode(raw) ?? { ordered: raw, shown: null };
}

function haveSameShape(known: readonly Column<number>[], columns: readonly Column<number>[]): boolean {
  return (
    known.length === columns.length &&
    columns.every(({ name, type }, index) => known[index]?.name === name && known[index].type === type)
  );
}

/** A list that continues after its rows reads them differently from one with the same SQL that does not. */
function keyOf(text: string, orderColumns: readonly string[]): string {
  return orderColumns.length === 0 ? text : [text, ...orderColumns].join('\0');
}

/** The name under which a server keeps a statement. Equal statements have the same name in every process that uses a pooler. */
function nameOf(key: string): string {
  return `q${createHash('sha256').update(key).digest('base64url').slice(0, 22)}`;
}

export class PostgresStatements {
  readonly types: PostgresTypes;
  /** False if the server does not keep statements for this connection alone, as with a pooler. */
  areNamed: boolean;
  private readonly statements: RecentMap<string, PostgresStatement>;
  /** Names that the server need not keep any more. */
  private unused: string[] = [];

  /** `limit`: how many are kept, here and in the server. */
  constructor(connection: Client, areNamed: boolean, limit: number) {
    this.types = new PostgresTypes(connection);
    this.areNamed = areNamed;
    this.statements = new RecentMap(limit, (statement) => {
      if (statement.isPrepared) this.unused.push(statement.name);
      if (statement.guard?.isPrepared === true) this.unused.push(statement.guard.name);
      statement.isForgotten = true;
    });
  }

  /** The statement with that SQL. */
  of(text: string, orderColumns: readonly string[] = []): PostgresStatement {
    const key = keyOf(text, orderColumns);
    let statement = this.statements.get(key);
    if (statement === undefined) {
      statement = new PostgresStatement(text, this.types, orderColumns);
      this.statements.set(key, statement);
    }
    return statement;
  }

  /** A statement that is not worth keeping. */
  once(text: string, orderColumns: readonly string[] = []): PostgresStatement {
    const statement = new PostgresStatement(text, this.types, orderColumns);
    statement.isForgotten = true;
    return statement;
  }

  /** The names that the server is to forget, once. */
  takeUnused(): readonly string[] {
    const { unused } = this;
    this.unused = [];
    return unused;
  }
}
