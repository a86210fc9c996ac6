/**
 * A configured SQL statement, as operations run it: renders the SQL, binds values, and reports failures with the operation and
 * fulfillment.
 */
import { afterChanges, noteChange, staysCurrent, type Call } from '../handler/call.js';
import { ExactDigits } from '../handler/exact-numbers.js';
import type { Row } from '../handler/json.js';
import type { Observer } from '../server/contracts.js';
import { ServiceError } from '../handler/reply.js';
import type { EachRead, EndOfRows, StatementDefinition } from './statement-definition.js';
import { Attempts, causeOf, type Cause } from './retries.js';
import type { Connection, Sending } from './connection.js';
import type { Connections } from './connections.js';
import type { Query, RowSink, ValueColumns } from './driver.js';
import { DatabaseFailure, failureError, refusedIndex, refusedValue, type Failure } from './failure.js';
import { holdRows } from '../handler/memory.js';
import {
  renderSql,
  withReturning,
  type RenderedSql,
  type SqlTemplate,
  type BoundValue,
  type PassedValue,
  type SqlValue,
} from './sql-template.js';
import type { RowContext } from './connection-settings.js';
import type { DatabaseKind } from './jdbc-url.js';
import { LatencyEstimate } from './meter.js';
import { withoutValues } from './raised.js';
import { DatabaseTransaction, runAlone, type OpenDatasource } from './run-alone.js';

/**
 * Runs the statement with the values of its placeholders in order, and returns the rows. Throws a ServiceError: 400 (the database
 * rejects a value or row), 409 (conflict with other rows), 500, 503 or 504.
 */
export interface Statement<Entry extends Row = Row> {
  (call: Call, values?: readonly PassedValue[]): Promise<Entry[]>;
  /** The runner, for callers that send the statement ahead of its turn, or stream its rows. */
  readonly runner: StatementRunner;
  /** Reads several elements of a loop in one query. */
  readonly each?: EachRead;
  /** Records a streamed read; undefined without tracing. */
  readonly traceRows?: (values: readonly PassedValue[]) => EndOfRows | undefined;
}

/** The parts of a datasource that its statements use. */
export interface StatementHost {
  readonly name: string;
  readonly kind: DatabaseKind;
  /** Receives events of every statement, if metrics are enabled. */
  readonly observer?: Observer | undefined;
  /** The context that is set before each statement. */
  readonly context?: RowContext | undefined;
  use(): OpenDatasource;
}

/** Creates a statement from its definition. */
export function createStatement(
  host: StatementHost,
  definition: StatementDefinition,
  use: Query['use'],
): Statement {
  const runner = new StatementRunner(host, definition, use);
  return Object.assign((call: Call, values: readonly PassedValue[] = []) => runner.run(call, values), {
    runner,
  });
}

export class StatementRunner {
  /** The SQL to send, without the added RETURNING after the server has rejected it. */
  private text: string | SqlTemplate;
  private tentative: boolean;
  /** The estimated duration. */
  readonly latency = new LatencyEstimate();
  /** Whether the statement turned out to change data, for example through a function in a view. */
  private writes = false;
  /** Whether policies reject the added RETURNING for some rows only, which does not prove that the statement as a whole is affected. */
  private refusesRows = false;

  constructor(
    readonly host: StatementHost,
    private readonly definition: StatementDefinition,
    private readonly use: Query['use'],
  ) {
    this.text = withReturning(definition.sql, definition.returning);
    this.tentative = this.text !== definition.sql;
  }

  /**
   * Runs the statement. Throws a ServiceError. If the driver supports sinks, the last created sink receives all rows, and the result is
   * empty. The sink of an abandoned run may still receive rows.
   */
  async run(call: Call, values: readonly PassedValue[], sinkOf?: () => RowSink): Promise<Row[]> {
    const start = performance.now();
    // A single function, so that a successful statement only creates one promise.
    try {
      call.proceed(start);
      if (!this.isRetryable) staysCurrent(call);
      let opened = this.on(call);
      let attempts: Attempts | undefined;
      let text = this.text;
      let connection: Connection | undefined;
      let isFirst = true;
      let isRowRefused = false;
      let now = start;
      for (;;) {
        const deadline = Math.min(call.deadline, now + opened.timeout);
        try {
          if (isFirst) {
            isFirst = false;
            const found = this.sharedFor(call, now, deadline);
            connection = found instanceof Promise ? await found : found;
            if (found instanceof Promise) call.proceed();
          }
          const query = this.queryOf(call, values, text, sinkOf?.());
          const rows = await (connection === undefined
            ? this.runAlone(opened, call, query, deadline, attempts?.since ?? 0)
            : connection.query(query, this.sendingOf(call, deadline)));
          if (!isRowRefused) this.accepts(text);
          this.keeps(call, rows);
          return rows;
        } catch (error) {
          if (!(error instanceof DatabaseFailure)) throw error;
          this.learn(error);
          if (this.leaves(opened, call, error.failure)) {
            now = performance.now();
            opened = this.host.use();
            connection = undefined;
            isFirst = true;
            call.proceed();
            continue;
          }
          const cause = this.causeOf(error.failure, call, text, connection);
          attempts ??= new Attempts(call);
          if (!(await attempts.again(cause))) throw error;
          now = performance.now();
          if (cause === 'returning') {
            isRowRefused = error.failure.isOfRow === true;
            this.tentative ||= !isRowRefused;
            text = this.definition.sql;
          }
          connection = undefined;
        }
      }
    } catch (error) {
      const toError = this.toError(error, values);
      // In a transaction, earlier changes are rolled back too, so the transaction decides about retries of the whole.
      throw call.transaction === undefined ? afterChanges(call, toError) : toError;
    } finally {
      this.ran(start);
    }
  }

  /**
   * The query, if it may be sent in a transaction before earlier results have arrived. `ended` is later called with the outcome. Throws
   * a ServiceError.
   */
  ahead(call: Call, values: readonly PassedValue[]): Query | undefined {
    const { atomic, changesSession, runsUnknownCode, enclosed } = this.definition;
    if (atomic === false || changesSession === true || runsUnknownCode === true || enclosed === true)
      return undefined;
    if (this.tentative || this.refusesRows) return undefined;
    return this.queryOf(call, values, this.text);
  }

  /** The rows of a statement that was sent ahead at `start`. Throws the errors of `run`. */
  ended(
    call: Call,
    values: readonly PassedValue[],
    outcome: PromiseSettledResult<Row[]>,
    start: number,
  ): Row[] {
    this.ran(start);
    if (!this.isRetryable) staysCurrent(call);
    if (outcome.status === 'fulfilled') {
      this.keeps(call, outcome.value);
      return outcome.value;
    }
    const error: unknown = outcome.reason;
    this.learn(error);
    if (error instanceof DatabaseFailure && error.failure.isOfRow !== true)
      this.tentative ||= this.causeOf(error.failure, call, this.text, undefined) === 'returning';
    throw this.toError(error, values);
  }

  /** Counts the rows of a completed run. Throws a ServiceError 503 if the process already holds too many rows. */
  private keeps(call: Call, rows: readonly Row[]): void {
    if (this.use === 'read') holdRows(call, rows);
    else if (call.transaction === undefined) noteChange(call);
  }

  /** Reports a run to the observer; `start` is in milliseconds of `performance.now()`. */
  ran(start: number): void {
    const { observer, name } = this.host;
    observer?.statementRan(name, (performance.now() - start) / 1000);
  }

  /** The rule for a retry. In a transaction, only statements that were undone by a savepoint can be retried. */
  private causeOf(
    failure: Failure,
    { transaction }: Call,
    text: string | SqlTemplate,
    connection: Connection | undefined,
  ): Cause | undefined {
    if (text !== this.definition.sql && returningCodes.has(failure.code)) return 'returning';
    if (transaction !== undefined) return undefined;
    const { isRetryable, definition } = this;
    const isAtomic = definition.atomic !== false;
    return causeOf(failure, { isShared: connection !== undefined, isRetryable, isAtomic });
  }

  /** Records that the server has accepted this SQL. */
  private accepts(text: string | SqlTemplate): void {
    if (this.tentative) this.text = text;
    this.tentative = false;
  }

  /** A shared connection for immediate use; undefined, or a promise of undefined, if there is none. */
  private sharedFor(
    call: Call,
    now: number,
    deadline: number,
  ): Connection | Promise<Connection | undefined> | undefined {
    const { latency } = this;
    const connections = this.sharing(call);
    if (connections === undefined || !(latency.isQuick || latency.isUnknown)) return undefined;
    return (latency.isQuick ? connections.share(now) : undefined) ?? connections.shareAlone(deadline);
  }

  /** Options for sending. Quick statements are not cancelled when their client disconnects, because that would close the connection. */
  private sendingOf(call: Call, deadline: number): Sending {
    const { latency } = this;
    return latency.isQuick ? { deadline, latency } : { deadline, latency, proceed: call.proceed.bind(call) };
  }

  private runAlone(
    opened: OpenDatasource,
    call: Call,
    query: Query,
    deadline: number,
    since: number,
  ): Promise<Row[]> {
    const { transaction } = call;
    if (transaction instanceof DatabaseTransaction)
      return transaction.run(opened, query, call, this.tentative || this.refusesRows);
    const proceed = call.proceed.bind(call);
    const latency = this.isRetryable ? this.latency : undefined;
    return runAlone(opened, query, { deadline, since, proceed, latency });
  }

  private get context(): RowContext | undefined {
    return this.definition.asUser === true ? undefined : this.host.context;
  }

  private get isRetryable(): boolean {
    return this.use === 'read' && this.definition.retry !== false && !this.writes;
  }

  /** Records what a failure reveals about the statement. */
  learn(error: unknown): void {
    if (!(error instanceof DatabaseFailure)) return;
    if (error.failure.aftermath === 'writes') this.writes = true;
    if (error.failure.isOfRow === true && this.text !== this.definition.sql) this.refusesRows = true;
  }

  /** The shared connections, if the statement may use them. */
  sharing(call: Call): Connections | undefined {
    if (!this.isRetryable || call.transaction !== undefined) return undefined;
    return this.on(call).connections;
  }

  /**
   * The server for the statement: the replica, if slightly outdated rows are acceptable, otherwise the primary. Throws an Error if the
   * datasource has not been opened.
   */
  on(call: Call): OpenDatasource {
    const primary = this.host.use();
    if (primary.replica === undefined || !this.isRetryable || call.transaction !== undefined) return primary;
    return primary.replica.for(call) ?? primary;
  }

  /** Whether the statement must run on the primary after this failure. */
  leaves(opened: OpenDatasource, call: Call, failure: Failure): boolean {
    const primary = this.host.use();
    return opened !== primary && primary.replica?.leaves(call, failure) === true;
  }

  /** The query with these values. Throws a ServiceError. */
  queryOf(
    call: Call,
    values: readonly PassedValue[],
    text: string | SqlTemplate = this.definition.sql,
    sink?: RowSink,
    inOrder = false,
  ): Query {
    const { definition, use, context } = this;
    const rendered = renderSql(text, values, this.host.kind);
    const sent = asSent(rendered.values);
    const origins = this.originsOf(rendered);
    // An object literal without spreads, because one is created for every statement.
    return {
      text: rendered.text,
      values: sent,
      isJsonText:
        sent !== rendered.values || definition.parameters !== undefined
          ? (site) =>
              rendered.values[site] instanceof ExactDigits || this.isUndeclared(call, origins?.[site] ?? site)
          : undefined,
      columns: this.columnsOf(origins),
      columnNames: definition.columnNames,
      truths: definition.truths,
      orderColumns: definition.orderColumns,
      once: definition.once,
      eachOf: definition.eachOf,
      use,
      changes: !this.isRetryable,
      atomic: definition.atomic !== false,
      inTransaction: call.transaction !== undefined,
      runsAgain: call.transaction instanceof DatabaseTransaction && call.transaction.runsAgain,
      runsUnknownCode: definition.runsUnknownCode === true,
      changesSession: definition.changesSession === true,
      inOrder,
      sink,
      context: context?.of(call),
      enclosed: context !== undefined && definition.enclosed === true,
    };
  }

  private columnsOf(origins: readonly number[] | undefined): ValueColumns[] | undefined {
    const { parameterTypes, comparedTypes, filterTypes, positionTypes } = this.definition;
    const columns: ValueColumns[] = [];
    if (parameterTypes !== undefined) columns.push({ text: parameterTypes, origins, use: 'written' });
    if (comparedTypes !== undefined) columns.push({ text: comparedTypes, origins, use: 'compared' });
    if (filterTypes !== undefined) columns.push({ text: filterTypes, origins, use: 'compared' });
    if (positionTypes !== undefined) columns.push({ text: positionTypes, origins, use: 'position' });
    return columns.length === 0 ? undefined : columns;
  }

  private originsOf({ values, origins }: RenderedSql): readonly number[] | undefined {
    const { elements } = this.definition;
    return elements === undefined ? origins : originsIn(values, elements);
  }

  /** Whether the value with this index is an undeclared request parameter. */
  private isUndeclared(call: Call, index: number): boolean {
    const name = this.definition.parameters?.[index];
    return name !== undefined && call.isDeclared?.(name) !== true;
  }

  /**
   * The error that ends the call. A database failure becomes a status and message that do not reveal anything about the database; other
   * errors are unchanged.
   */
  toError(error: unknown, values: readonly PassedValue[]): unknown {
    if (!(error instanceof DatabaseFailure)) return error;
    const { operation, fulfillment, valueNames, callerValues } = this.definition;
    const site = { datasource: this.host.name, operation, fulfillment };
    const { raised } = error.failure;
    if (raised !== undefined) {
      const failure = { ...error.failure, reason: withoutValues(raised, values) };
      return failureError(new DatabaseFailure(failure, error.cause), site);
    }
    const isForbidden = this.context !== undefined && error.failure.code === forbidden;
    const refused = error.failure.kind === 'bad-value' ? this.refusedIndex(error, values) : undefined;
    // A missing privilege of the context role, or a claim of the wrong type, is reported as a refusal of the caller.
    if (isForbidden || (refused !== undefined && callerValues?.includes(refused) === true)) {
      const { failure, cause } = error;
      return failureError(new DatabaseFailure({ ...failure, kind: 'forbidden' }, cause), site);
    }
    const toError = failureError(error, site, values.length > 0);
    const source = refused === undefined ? undefined : valueNames?.[refused];
    if (source === undefined) return toError;
    const { message, fault } = refusedValue(error.failure, source);
    return new ServiceError(toError.status, message, { ...toError.details, faults: [fault] });
  }

  /** The index of the value rejected by the database. */
  private refusedIndex({ failure }: DatabaseFailure, values: readonly PassedValue[]): number | undefined {
    const { values: bound, origins } = renderSql(this.text, values, this.host.kind);
    const index = refusedIndex(failure, bound.length);
    return index === undefined ? undefined : (origins?.[index] ?? index);
  }
}

/** The values for the driver. Exact digits become JSON where JSON is expected. Returns the same array if there are none. */
function asSent(values: readonly BoundValue[]): readonly SqlValue[] {
  if (values.every((value): value is SqlValue => !(value instanceof ExactDigits))) return values;
  return values.map((value) => (value instanceof ExactDigits ? value.text : value));
}

/** The origin of each value. The values of each element follow its position, which is not a value of the statement. */
function originsIn(values: readonly BoundValue[], elements: number): number[] {
  const count = values.length / elements;
  return values.map((_, index) => (index % count) - 1);
}

/** Insufficient privilege; also reported if a policy rejects a row. */
const forbidden = '42501';

/**
 * Codes for a rejected RETURNING: it is invalid in a MERGE before version 17, and may be forbidden, or unsupported by a view with
 * rules.
 */
const returningCodes = new Set<string | number | undefined>(['42601', forbidden, '0A000']);
