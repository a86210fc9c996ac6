/** The statements of one PostgreSQL connection, with their parameters and shapes. */
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

/** The parameter types of a statement, and the time until which they need not be queried again. */
export interface ParameterTypes {
  readonly types: readonly number[];
  readonly until: number;
}

/**
 * A statement that is prepared but never run. It returns the columns written by another statement, and is described immediately before
 * that statement: if the columns have changed, the server refuses the description and skips the statement.
 */
export interface Guard {
  readonly text: string;
  readonly name: string;
  /** The message that asks the server to describe the guard. */
  readonly describe: Buffer;
  isPrepared: boolean;
  /** The time when it was prepared, in milliseconds of `performance.now()`. */
  since: number;
}

/** A statement on one connection. */
export class PostgresStatement {
  /** The name of the prepared statement on the server. */
  readonly name: string;
  /** The start of the Bind message: type, space for the length, an empty portal, the name, and text format for all values. */
  readonly bind: Buffer;
  /** Whether the server has prepared the statement under its name, or has been asked to. */
  isPrepared = false;
  /** Whether the statement has been removed from the cache. */
  isForgotten = false;
  /** Whether the statement had no result columns when the server was last queried. */
  hasNoColumns = false;
  /** The parameter types reported by the server. */
  parameters: readonly number[] | undefined;
  /** The guard against changed tables; created on first use. */
  guard: Guard | undefined;
  /** Whether a value is encoded in a form specific to its type. The server would convert such a value to the type of a changed column. */
  hasForms = false;
  /** The encoders of the parameters. */
  encoders: readonly Encoder[] | undefined;
  /** The time at which parameter types are queried again, in milliseconds of `performance.now()`. */
  until = 0;
  shape: Shape = {};
  /** Whether rows belong to loop elements: the first column is then the position of the element. */
  isOfEach = false;
  /** The columns of the latest result, and the decoder of its rows. */
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

  /** The row decoder; undefined if a type must be looked up in the database. */
  decoderOf(columns: readonly Column<number>[]): RowDecoder<string> | undefined {
    if (this.known !== undefined && haveSameShape(this.known.columns, columns)) return this.known.decode;
    const decoders = this.types.knownDecoders(columns);
    return decoders && this.learn(columns, decoders);
  }

  /** Creates and caches the row decoder. */
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

  /** The guard of the statement. */
  guarded(): Guard {
    if (this.guard === undefined) {
      const name = `g${this.name.slice(1)}`;
      const describe = Buffer.from(`D\0\0\0\0S${name}\0`, 'latin1');
      describe.writeInt32BE(describe.length - 1, 1);
      // The author's RETURNING may omit columns that are written.
      const text = withReturning(this.text, returnsRows(this.text) ? ', *' : 'RETURNING *');
      this.guard = { text, name, describe, isPrepared: false, since: 0 };
    }
    return this.guard;
  }

  /** Sets the parameter types as reported by the server. If they have changed, the statement is prepared again. */
  learnParameters({ types, until }: ParameterTypes, encoders: readonly Encoder[]): void {
    if (this.parameters !== undefined && !areSame(this.parameters, types)) this.reset();
    this.parameters = types;
    this.hasForms = !types.every((type) => plainTypes.has(type));
    this.encoders = encoders;
    this.until = until;
  }

  /** Discards an outdated preparation. */
  reset(): void {
    this.isPrepared = false;
    this.parameters = undefined;
    this.encoders = undefined;
    this.shape = {};
  }
}

/** Strings, quoted names and comments. */
const enclosed = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[^]*?\$\1\$|--[^\n]*|\/\*[^]*?\*\//g;

/** Whether the statement itself has a RETURNING clause, and not only a statement in its WITH. */
function returnsRows(text: string): boolean {
  let [outer, before] = [text.replaceAll(enclosed, ' '), ''];
  while (outer !== before) [outer, before] = [outer.replaceAll(/\([^()]*\)/g, ' '), outer];
  return /\breturning\b/i.test(outer);
}

/** Integers, strings and UUIDs: converting such a value to another type is equivalent to sending it as that type. */
const plainTypes: ReadonlySet<number> = new Set([19, 20, 21, 23, 25, 26, 1042, 1043, 2950]);

function ofElement(decode: RowDecoder<string>): RowDecoder<string> {
  return (raw) => ({ place: Number(raw[0]), row: decode(raw.slice(1)) });
}

/** Preserves NaN and infinities, which are null in JSON, for the order of lists. */
export function withOrdered(decode: Decode<string>): Decode<string> {
  return (raw) => decode(raw) ?? { ordered: raw, shown: null };
}

function haveSameShape(known: readonly Column<number>[], columns: readonly Column<number>[]): boolean {
  return (
    known.length === columns.length &&
    columns.every(({ name, type }, index) => known[index]?.name === name && known[index].type === type)
  );
}

/** The cache key. A list that continues after its last row reads rows differently than the same SQL without continuation. */
function keyOf(text: string, orderColumns: readonly string[]): string {
  return orderColumns.length === 0 ? text : [text, ...orderColumns].join('\0');
}

/** The name of a prepared statement. Equal statements have the same name in every process behind a pooler. */
function nameOf(key: string): string {
  return `q${createHash('sha256').update(key).digest('base64url').slice(0, 22)}`;
}

export class PostgresStatements {
  readonly types: PostgresTypes;
  /** False if the server does not keep prepared statements for this connection, as with a pooler. */
  areNamed: boolean;
  private readonly statements: RecentMap<string, PostgresStatement>;
  /** Names of statements that the server can release. */
  private unused: string[] = [];

  /** `limit`: the maximum number of cached statements, in this process and on the server. */
  constructor(connection: Client, areNamed: boolean, limit: number) {
    this.types = new PostgresTypes(connection);
    this.areNamed = areNamed;
    this.statements = new RecentMap(limit, (statement) => {
      if (statement.isPrepared) this.unused.push(statement.name);
      if (statement.guard?.isPrepared === true) this.unused.push(statement.guard.name);
      statement.isForgotten = true;
    });
  }

  /** The cached statement for this SQL. */
  of(text: string, orderColumns: readonly string[] = []): PostgresStatement {
    const key = keyOf(text, orderColumns);
    let statement = this.statements.get(key);
    if (statement === undefined) {
      statement = new PostgresStatement(text, this.types, orderColumns);
      this.statements.set(key, statement);
    }
    return statement;
  }

  /** A statement that is not cached. */
  once(text: string, orderColumns: readonly string[] = []): PostgresStatement {
    const statement = new PostgresStatement(text, this.types, orderColumns);
    statement.isForgotten = true;
    return statement;
  }

  /** Returns the names that the server can release, and clears the list. */
  takeUnused(): readonly string[] {
    const { unused } = this;
    this.unused = [];
    return unused;
  }
}
