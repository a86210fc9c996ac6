/** Runs statements on a PostgreSQL connection: prepares each once, and encodes values for the types of its parameters. */
import { asError, errorCode, errorField, messageOf } from '../handler/reply.js';
import type { Client } from 'pg';
import type { Row } from '../handler/json.js';
import type { QueryContext } from '../sql/connection-settings.js';
import type { QueryCallback, Query } from '../sql/driver.js';
import { DatabaseFailure, notRun, unreadable, type Failure } from '../sql/failure.js';
import type { Encoder } from './encode.js';
import { postgresFailure, refusedElement } from './failure.js';
import {
  listen,
  sendQuery,
  type Beside,
  type Sent,
  type WireQuery,
  type WireResult,
  type WireValue,
} from './query.js';
import {
  PostgresStatements,
  type Guard,
  type ParameterTypes,
  type PostgresStatement,
  type Shape,
} from './statements.js';
import { areBuiltIn, listTypes } from './column-types.js';
import { areSame, type RecentMap } from '../sql/rows.js';
import { BoundBytes, BoundNumber, type SqlValue } from '../sql/sql-template.js';

/**
 * Statements with more values are prepared for each run, because there are many different long statements, and each takes megabytes of
 * server memory.
 */
const maxKeptValues = 1000;

/**
 * Milliseconds before parameter types are queried again. ALTER TABLE may have changed a type so that old values are still valid but
 * have another meaning: from timestamp to date, for example.
 */
const lifetime = 60_000;

/** Facts about parameters that connections share. */
export interface KnownParameters {
  /** Parameter types by the SQL of the statement. */
  readonly parameters: RecentMap<string, ParameterTypes>;
  /** The SQL of statements whose parameters had other types in another transaction, for example with a schema for each tenant. */
  readonly varying: Set<string>;
  /** The SQL of statements that cannot have a guard, because the server rejects RETURNING. */
  readonly unguarded: Set<string>;
  /** By SQL, the time at which columns were found to have changed, in milliseconds of `performance.now()`. */
  readonly altered: RecentMap<string, number>;
}

/** The options of one run. */
interface Attempt {
  /** Whether the parameter types were queried in this run. */
  readonly isFresh: boolean;
  /** Whether an earlier run failed because of an outdated preparation. */
  readonly isSecond: boolean;
}

const first: Attempt = { isFresh: false, isSecond: false };

export class PostgresRunner {
  private readonly statements: PostgresStatements;
  /** Whether the next statement must be preceded by BEGIN. */
  begins = false;
  /** Whether the settings of the context have been sent in this transaction. */
  private hasContext = false;
  /** The SQL of statements whose tables have been queried in this transaction. These tables cannot change before the transaction ends. */
  private readonly asked = new Set<string>();
  /** Whether a statement in this transaction has selected the schema, for example that of a tenant. */
  private choosesSchema = false;

  constructor(
    private readonly connection: Client,
    areNamed: boolean,
    private readonly known: KnownParameters,
    keptStatements: number,
  ) {
    this.statements = new PostgresStatements(connection, areNamed, keptStatements);
    listen(connection);
  }

  /** Whether the statement being sent must be preceded by BEGIN. */
  takeBegin(): boolean {
    const { begins } = this;
    this.begins = false;
    return begins;
  }

  /** Avoids creating promises, because it runs for every statement of a shared connection. */
  start(query: Query, done: QueryCallback): void {
    const { text, orderColumns } = query;
    const isKept = query.once !== true && query.values.length <= maxKeptValues;
    const statement = isKept
      ? this.statements.of(text, orderColumns)
      : this.statements.once(text, orderColumns);
    statement.isOfEach = query.eachOf !== undefined;
    this.forgetChanged(statement, query);
    const varies = this.varies(query);
    // Streamed rows cannot wait for the types of their columns.
    const isReadable = query.onRow === undefined || statement.shape.decode !== undefined;
    const isKnown = !varies && this.isKnown(statement, query) && !this.mustAsk(statement, query);
    if (isReadable && (query.values.length === 0 || isKnown)) {
      this.send(statement, query, done, first);
      return;
    }
    const isFirst = statement.encoders === undefined || varies;
    // In the meantime, other statements use the known types.
    statement.until = performance.now() + lifetime;
    const described = this.describe(statement, query, isFirst ? this.nameFor(statement, query) : undefined);
    if (query.inOrder === true) {
      // Later statements would overtake this one, so it runs when it is its turn.
      described.catch(nothing);
      done(new DatabaseFailure({ kind: 'unexpected', reason: 'not described yet' }));
      return;
    }
    described.then(() => {
      this.send(statement, query, done, { ...first, isFresh: isFirst });
    }, done);
  }

  /**
   * Sends the statement after others in its transaction. Undefined if it must wait for their results, because something else has to be
   * sent first or a value is invalid.
   */
  after(query: Query): ((done: QueryCallback) => void) | undefined {
    const { text, orderColumns, values, context, once } = query;
    const isKept = once !== true && values.length <= maxKeptValues;
    const isPlain = query.onRow === undefined && query.eachOf === undefined && isKept;
    if (this.begins || !isPlain || (context !== undefined && !this.hasContext)) return undefined;
    const statement = this.statements.of(text, orderColumns);
    this.forgetChanged(statement, query);
    if (this.varies(query) || (values.length > 0 && !this.isKnown(statement, query))) return undefined;
    if (this.mustAsk(statement, query)) return undefined;
    const isUnprepared = this.nameFor(statement, query) !== undefined && !statement.isPrepared;
    if (isUnprepared || (statement.hasForms && this.guardOf(statement, query)?.isPrepared === false))
      return undefined;
    let encoded: WireValue[];
    try {
      encoded = encodeAll(query, statement.encoders ?? []);
    } catch {
      return undefined;
    }
    if (encoded.some((value) => value instanceof Buffer)) return undefined;
    return (done) => {
      this.transmit(statement, query, encoded, done, first);
    };
  }

  /** Whether the parameter types are known. */
  private isKnown(statement: PostgresStatement, query: Query): boolean {
    if (statement.encoders !== undefined && statement.until > performance.now()) return true;
    return this.assume(statement, query);
  }

  /** Whether the table names in the statement can refer to different tables than in the previous transaction. */
  private varies({ text, inTransaction }: Query): boolean {
    if (inTransaction !== true) return false;
    this.choosesSchema ||= choosesSchema.test(text);
    return this.choosesSchema || this.known.varying.has(text);
  }

  /** Forgets settings, which end with the transaction. */
  transactionEnds(): void {
    this.asked.clear();
    this.choosesSchema = false;
    this.hasContext = false;
  }

  /** Forgets the settings of the context, which may have been sent after the savepoint. */
  savepointReturns(): void {
    this.asked.clear();
    this.hasContext = false;
  }

  /** Statements to send before a query, which end with its transaction: BEGIN, and the settings of its context. */
  private before({ context, inTransaction, onRow }: Query, isEnclosed = false): readonly Beside[] {
    const begins = this.takeBegin() || isEnclosed ? onlyBegin : none;
    const before = onRow === undefined ? begins : [...begins, this.settings(unlimited)];
    if (context === undefined || (inTransaction === true && this.hasContext)) return before;
    this.hasContext = inTransaction === true;
    return [...before, this.settings(context)];
  }

  private settings({ text, values }: QueryContext): Beside {
    if (!this.statements.areNamed) return { text, values };
    const statement = this.statements.of(text);
    const { name, isPrepared } = statement;
    statement.isPrepared = true;
    return { text, name, isPrepared, values };
  }

  /** Whether the server has rejected the settings of the context rather than the statement. */
  private isContextRefused(error: unknown, before: readonly Beside[], { awaited }: Sent): boolean {
    const last = before.at(-1);
    if (last === undefined || last === begin || awaited === 0) return false;
    this.statements.of(last.text).isPrepared = false;
    const code = String(errorCode(error));
    if (code === gone) this.statements.areNamed = false;
    // Other failures have the same meaning as without a context.
    return code === gone || /^(?:22|42)/.test(code);
  }

  /** Uses the parameter types known to other connections, for reads only. A wrong type is rejected before the statement runs. */
  private assume(statement: PostgresStatement, query: Query): boolean {
    if (query.use !== 'read' || query.inTransaction === true) return false;
    const known = this.known.parameters.get(query.text);
    const encoders = known && this.statements.types.knownEncoders(known.types);
    if (known === undefined || encoders === undefined || known.until <= performance.now()) return false;
    statement.learnParameters(known, encoders);
    return true;
  }

  /** The name under which the server caches the statement; undefined if it is not cached. */
  private nameFor(statement: PostgresStatement, query: Query): string | undefined {
    // A named statement fails if columns have changed. In a transaction it could not be retried, whereas an unnamed statement works.
    const isSafe = query.inTransaction !== true || (statement.hasNoColumns && !this.varies(query));
    return this.statements.areNamed && !statement.isForgotten && isSafe ? statement.name : undefined;
  }

  private send(statement: PostgresStatement, query: Query, done: QueryCallback, attempt: Attempt): void {
    let values: WireValue[];
    try {
      values = encodeAll(query, statement.encoders ?? []);
    } catch (misfit) {
      if (attempt.isFresh || query.inOrder === true) done(misfit);
      else this.sendIfChanged(statement, query, done, misfit);
      return;
    }
    this.transmit(statement, query, values, done, attempt);
  }

  private transmit(
    statement: PostgresStatement,
    query: Query,
    values: readonly WireValue[],
    done: QueryCallback,
    attempt: Attempt,
  ): void {
    const name = attempt.isSecond ? undefined : this.nameFor(statement, query);
    const isKnown = name !== undefined && statement.isPrepared;
    if (name !== undefined) statement.isPrepared = true;
    const isEnclosed = query.enclosed === true && query.inTransaction !== true;
    const before = this.before(query, isEnclosed);
    const guard = statement.hasForms && !attempt.isFresh ? this.guardOf(statement, query) : undefined;
    const wire: WireQuery = {
      statement,
      name,
      parse: isKnown ? undefined : (statement.parameters ?? []),
      values,
      before,
      guard,
      behind: isEnclosed ? onlyCommit : undefined,
      unused: isKnown ? undefined : this.statements.takeUnused(),
      shape: name === undefined ? {} : statement.shape,
      onRow: query.onRow,
      sink: query.sink,
    };
    const sent = sendQuery(this.connection, wire, (error, result) => {
      if (result?.raw.length === 0) done(undefined, result.rows);
      else if (result !== undefined) {
        this.decode(statement, result).then((rows) => {
          done(undefined, rows);
        }, done);
      } else {
        if (!isKnown && !sent.began) statement.isPrepared = false;
        // An earlier statement has failed, so the server has not processed this one.
        if (errorCode(error) === aborted) {
          done(error);
          return;
        }
        const failed = (): void => {
          if (isOfGuard(guard, sent)) this.guardFailed(statement, query, done, error);
          else if (!this.isContextRefused(error, before, sent))
            this.failed(statement, query, done, attempt, { error, began: sent.began });
          else if (errorCode(error) === gone && this.mayRunAgain(query, attempt))
            this.send(statement, query, done, { ...attempt, isSecond: true });
          else done(contextRefused(error));
        };
        if (isEnclosed) this.connection.query('ROLLBACK').then(failed, failed);
        else failed();
      }
    });
  }

  /** The guard that prevents the statement from running if the columns that it writes have changed; undefined if it cannot have a guard. */
  private guardOf(
    statement: PostgresStatement,
    { text, changes, inTransaction, runsAgain }: Query,
  ): Guard | undefined {
    const isPossible =
      changes &&
      this.statements.areNamed &&
      !statement.isForgotten &&
      (inTransaction !== true || (runsAgain === true && !this.choosesSchema)) &&
      !this.known.unguarded.has(text);
    return isPossible && writing.test(text) && !writingInside.test(text) ? statement.guarded() : undefined;
  }

  /** Resets the statement if another connection has found changed columns. */
  private forgetChanged(statement: PostgresStatement, { text }: Query): void {
    const { guard } = statement;
    if (guard?.isPrepared !== true || guard.since > (this.known.altered.get(text) ?? 0)) return;
    guard.isPrepared = false;
    statement.reset();
  }

  /** Whether the types may have changed, in which case the server would convert values encoded for the old types. */
  private mustAsk(statement: PostgresStatement, query: Query): boolean {
    if (
      !query.changes ||
      !statement.hasForms ||
      !writing.test(query.text) ||
      this.guardOf(statement, query) !== undefined
    )
      return false;
    return !this.asked.has(query.text);
  }

  /** Handles a failed guard. The statement has not started. */
  private guardFailed(statement: PostgresStatement, query: Query, done: QueryCallback, error: unknown): void {
    statement.reset();
    if (errorCode(error) === gone) this.statements.areNamed = false;
    else this.known.altered.set(query.text, performance.now());
    if (query.inTransaction === true) {
      done(new DatabaseFailure({ kind: 'conflict', reason: 'a table has changed' }, error));
      return;
    }
    this.describe(statement, query, undefined).then(() => {
      this.send(statement, query, done, { isFresh: true, isSecond: true });
    }, done);
  }

  /** Decodes rows with types that must be looked up in the database. */
  private async decode(statement: PostgresStatement, { shape, rows, raw }: WireResult): Promise<Row[]> {
    const decode = await this.decoderOf(statement, shape);
    try {
      return [...raw.map(decode), ...rows];
    } catch (error) {
      throw unreadable(error);
    }
  }

  private async decoderOf(statement: PostgresStatement, shape: Shape): Promise<NonNullable<Shape['decode']>> {
    const { columns = [] } = shape;
    return (shape.decode ??= statement.learn(columns, await this.statements.types.decoders(columns)));
  }

  /** Describes the statement without running it. Throws a DatabaseFailure. */
  private async describe(
    statement: PostgresStatement,
    query: Query,
    name: string | undefined,
  ): Promise<void> {
    try {
      await this.learn(statement, query, name);
    } catch (error) {
      if (error instanceof DatabaseFailure) throw error;
      throw new DatabaseFailure(notRun(postgresFailure(error, statement.text)), error);
    }
  }

  /** Queries the types of parameters and columns. Also prepares the statement if it has a name. Throws the errors of the driver. */
  private async learn(statement: PostgresStatement, query: Query, name: string | undefined): Promise<void> {
    const { types } = this.statements;
    const lists = query.eachOf === undefined ? undefined : await this.listsOf(query, query.eachOf);
    const shape: Shape = {};
    const unused = this.statements.takeUnused();
    const { parameters } = await this.guarded(statement, query, (guard) =>
      this.exchange({
        ...{ statement, name, parse: lists?.types ?? [], unused, shape, guard },
        before: this.before(query),
      }),
    );
    if (query.inTransaction === true) this.asked.add(query.text);
    const encoders = types.knownEncoders(parameters) ?? (await types.encoders(parameters));
    shape.columns ??= [];
    statement.hasNoColumns = shape.columns.length === 0;
    await this.decoderOf(statement, shape);
    const known = { types: parameters, until: lists?.until ?? performance.now() + lifetime };
    statement.learnParameters(known, encoders);
    if (name !== undefined) {
      statement.isPrepared = true;
      statement.shape = shape;
    }
    if (!statement.isForgotten && areBuiltIn(parameters)) this.known.parameters.set(statement.text, known);
  }

  /** The list types for the values of a statement. Throws a DatabaseFailure if the statement must run separately for each element. */
  private async listsOf(query: Query, text: string): Promise<ParameterTypes> {
    const { parameters } = this.known;
    const isKnown = (parameters.get(text)?.until ?? 0) > performance.now();
    if (!isKnown)
      await this.learn(this.statements.of(text), { ...query, text, eachOf: undefined }, undefined);
    const { types, until } = parameters.get(text) ?? { types: [], until: 0 };
    const lists = types.map((type) => listTypes.get(type)).filter((type) => type !== undefined);
    if (lists.length === 0 || lists.length !== types.length)
      throw new DatabaseFailure({ kind: 'unexpected', reason: 'its values make no lists' });
    return { types: lists, until };
  }

  /**
   * Prepares the guard together with the statement, so that both refer to the same tables. Throws the errors of the driver, and a
   * DatabaseFailure.
   */
  private async guarded(
    statement: PostgresStatement,
    query: Query,
    ask: (guard: Guard | undefined) => Promise<WireResult>,
  ): Promise<WireResult> {
    const guard = this.guardOf(statement, query);
    const isNew = guard?.isPrepared === false;
    const { unguarded } = this.known;
    try {
      return await ask(guard);
    } catch (error) {
      if (!(error instanceof GuardError)) {
        // The statement itself has become invalid.
        if (guard === undefined) unguarded.delete(query.text);
        throw error;
      }
      // The columns of a new guard cannot have changed, so the server does not support RETURNING for this statement.
      if (isNew) unguarded.add(query.text);
      else if (errorCode(error.cause) === gone) this.statements.areNamed = false;
      else this.known.altered.set(query.text, performance.now());
      if (query.inTransaction === true)
        throw new DatabaseFailure({ kind: 'conflict', reason: 'a table has changed' }, error.cause);
      return this.guarded(statement, query, ask);
    }
  }

  private exchange(query: WireQuery): Promise<WireResult> {
    const { before = [] } = query;
    return new Promise((resolve, reject) => {
      const sent = sendQuery(this.connection, query, (error, result) => {
        if (result !== undefined) resolve(result);
        else if (isOfGuard(query.guard, sent))
          reject(new GuardError('the guard is refused', { cause: error }));
        else if (this.isContextRefused(error, before, sent)) reject(contextRefused(error));
        else reject(asError(error));
      });
    });
  }

  /** Handles an invalid value: queries the parameter types, and sends the statement if the value is valid for changed types. */
  private sendIfChanged(
    statement: PostgresStatement,
    query: Query,
    done: QueryCallback,
    misfit: unknown,
  ): void {
    const { parameters = [] } = statement;
    this.describe(statement, query, undefined).then(() => {
      if (areSame(statement.parameters ?? [], parameters)) done(misfit);
      else this.send(statement, query, done, { isFresh: true, isSecond: true });
    }, done);
  }

  /** Whether only this statement has failed, and no other statement has overtaken it. */
  private mayRunAgain({ inOrder, inTransaction }: Query, { isSecond }: Attempt): boolean {
    return !isSecond && inOrder !== true && inTransaction !== true;
  }

  private failed(
    statement: PostgresStatement,
    query: Query,
    done: QueryCallback,
    attempt: Attempt,
    { error, began }: { readonly error: unknown; readonly began: boolean },
  ): void {
    if (!began && !attempt.isFresh && !attempt.isSecond && mayBeStale(error)) {
      if (errorCode(error) === gone) this.statements.areNamed = false;
      statement.reset();
      if (this.mayRunAgain(query, attempt)) {
        // The statement has not started. Without a name, it is prepared again.
        this.describe(statement, query, undefined).then(() => {
          this.send(statement, query, done, { isFresh: true, isSecond: true });
        }, done);
        return;
      }
      if (query.inTransaction === true && (hasOtherTypes(error) || isOutOfDate(error))) {
        // The transaction has failed. From now on, the types are queried for each run of the statement.
        if (hasOtherTypes(error)) this.known.varying.add(query.text);
        done(
          new DatabaseFailure({ kind: 'conflict', reason: 'the search path or a table has changed' }, error),
        );
        return;
      }
    }
    done(refusal(error, statement, query, began));
  }
}

/** The server has refused to prepare or describe a guard. */
class GuardError extends Error {}

/** Whether the error concerns the guard, which must then be prepared again. */
function isOfGuard(guard: Guard | undefined, { isGuarded, awaited }: Sent): boolean {
  if (guard === undefined || !isGuarded) return false;
  // If an earlier statement has failed, the server has skipped the guard.
  guard.isPrepared = false;
  return awaited === 0;
}

/** Statements that write values to columns. */
const writing = /^(?:\s|--.*\n|\/\*[\s\S]*?\*\/)*(?:insert|update|with|merge)\b/i;

/** Statements that write in a WITH query. The columns written there are not returned by the outer statement. */
const writingInside = /\((?:\s|--.*\n|\/\*[\s\S]*?\*\/)*(?:insert|update|merge|with)\b/i;

const none: readonly Beside[] = [];
const begin: Beside = { text: 'BEGIN' };
const onlyBegin = [begin];
const onlyCommit: readonly Beside[] = [{ text: 'COMMIT' }];

/** Disables the time limit, because the reader of the rows may be slow. */
const unlimited: QueryContext = {
  text: "SELECT pg_catalog.set_config('statement_timeout', '0', true)",
  values: [],
};

/** The server rejected the settings, and did not process the statement. */
function contextRefused(error: unknown): DatabaseFailure {
  const code = errorCode(error);
  const reason = 'the server refuses the settings of the context, or its role';
  return new DatabaseFailure({ kind: 'unexpected', reason, ...(code === undefined ? {} : { code }) }, error);
}

function nothing(): void {
  // The failure is reported when it is the statement's turn.
}

/** Encodes the values. Throws a DatabaseFailure with the index of an invalid value. */
function encodeAll({ values, isJsonText }: Query, encoders: readonly Encoder[]): WireValue[] {
  return values.map((bound, index) => {
    const encoder = encoders[index];
    if (bound instanceof BoundBytes) return bytesFor(encoder, bound);
    if (bound instanceof BoundNumber) throw new TypeError('a number that only MySQL gets as such');
    if (bound === null || encoder === undefined) return null;
    const text = encoder.encode(bound, isJsonText?.(index) === true);
    if (text !== undefined) return text;
    throw new DatabaseFailure({
      kind: 'bad-value',
      reason: 'a value does not fit its parameter',
      value: {
        index,
        ...(encoder.misfit?.(bound) ?? { expected: encoder.expected?.(bound) ?? encoder.one }),
      },
    });
  });
}

/** The bytes of a file. Types other than bytea are rejected, because the server would interpret the bytes differently. */
function bytesFor(encoder: Encoder | undefined, bytes: BoundBytes): Buffer {
  if (encoder?.isBinary === true) return bytes.toBuffer();
  throw new DatabaseFailure({
    kind: 'unexpected',
    reason: 'a file is passed to a parameter that is not binary',
  });
}

/** The error of the server, with the index of the value if the server reports which value it rejected. */
function refusal(
  error: unknown,
  { text, encoders }: PostgresStatement,
  { values, context }: Query,
  began: boolean,
): unknown {
  const failure = postgresFailure(error, text);
  if (failure.kind !== 'bad-value') return error;
  if (isOfContext(error, context, values))
    return new DatabaseFailure({ ...failure, kind: 'forbidden', reason: claimRefused }, error);
  // Once the statement runs, its functions may reject an element.
  const index = began ? -1 : refusedIndex(error);
  const encoder = encoders?.[index];
  if (encoder === undefined) return ofElement(failure, error, values);
  // The type may be a domain whose CHECK rejected the value: then only the server knows the valid values.
  const expected = failure.code === '23514' ? '' : encoder.one;
  return new DatabaseFailure({ ...failure, value: { index, expected } }, error);
}

const claimRefused = 'a policy cannot compare a value of the caller: the claim has another type';

/** Whether the server quotes a value of the context, converted by a policy, and not a value of the statement. */
function isOfContext(
  error: unknown,
  context: QueryContext | undefined,
  values: readonly SqlValue[],
): boolean {
  if (context === undefined || refusedIndex(error) !== -1) return false;
  const quoted = /"(.*)"/s.exec(messageOf(error))?.[1];
  return quoted !== undefined && context.values.includes(quoted) && !values.some((value) => value === quoted);
}

/** Adds the position inside a JSON value, if exactly one value can contain the rejected element. */
function ofElement(failure: Failure, error: unknown, values: readonly SqlValue[]): unknown {
  const found = values.flatMap((value, index) => {
    const isJson = !(value instanceof BoundNumber || value instanceof BoundBytes);
    const element = !isJson ? undefined : refusedElement(error, value);
    return element === undefined ? [] : [{ index, ...element }];
  });
  const [value] = found;
  return value !== undefined && found.length === 1
    ? new DatabaseFailure({ ...failure, value }, error)
    : error;
}

/** The index of the rejected value. Servers since version 14 report it (`unnamed portal parameter $1 = '…'`), in their own language. */
function refusedIndex(error: unknown): number {
  return Number(/\$(\d+)/.exec(errorField(error, 'where') ?? '')?.[1] ?? 0) - 1;
}

/** An earlier statement of the transaction has failed. */
const aborted = '25P02';

/** The server does not know the prepared statement. Behind a pooler, another server may know it. */
const gone = '26000';

/** Statements that set a search path or a role, because a schema can have the name of the role. */
const choosesSchema = /\bsearch_path\b|\bset\s+local\s+(?:role|session)\b|\bset_config\s*\(\s*(?:\$|'role')/i;

/** Whether values were sent with the types of a different table of the same name, for example in another schema. */
function hasOtherTypes(error: unknown): boolean {
  return ['42804', '42883', '42P18', '42846', '22P03'].includes(String(errorCode(error)));
}

/**
 * Whether the cause may be an outdated prepared statement: it no longer exists, its columns have changed (0A000, checked before it
 * runs), or its parameters still have the types from when it was prepared (other codes, which can also mean that the value or the SQL
 * is invalid).
 */
function mayBeStale(error: unknown): boolean {
  return isOutOfDate(error) || /^(?:22|42)/.test(String(errorCode(error)));
}

/** Whether the server no longer knows the statement, or would return other columns. */
function isOutOfDate(error: unknown): boolean {
  const code = errorCode(error);
  return code === gone || (code === '0A000' && errorField(error, 'routine') === 'RevalidateCachedQuery');
}
