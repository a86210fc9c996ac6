/**
 * One SQL statement of the configuration, as operations run it: it renders, binds, and reports failures with their operation and
 * fulfillment.
 */
import { afterChanges, noteChange, type Call } from '../handler/call.js';
import { isNumberAt, placeIn } from '../handler/exact-numbers.js';
import { hasNumbers } from '../handler/number-marks.js';
import type { Row } from '../handler/json.js';
import type { Observer } from '../server/contracts.js';
import { ServiceError } from '../handler/reply.js';
import type { ReadStatement, Statement, StatementDefinition } from './database.js';
import type { Query, SharedConnection, SharedReads } from './driver.js';
import { DatabaseFailure, failureError, refusedValue, type Source } from './failure.js';
import { holdRows } from '../handler/memory.js';
import {
  renderSql,
  withReturning,
  type MarkerStyle,
  type RenderedSql,
  type SqlTemplate,
  type PassedValue,
  type SqlValue,
} from './sql.js';
import { LatencyEstimate } from './meter.js';
import { each, start, type ReadRunner } from './reads-ahead.js';

/** What a statement needs of its datasource. */
export interface StatementHost {
  readonly name: string;
  readonly dialect: { readonly markers: MarkerStyle };
  /** Hears of every statement, where there are metrics. */
  readonly observer?: Observer | undefined;
  /** Undefined where reads share no connections. */
  sharedReads(): SharedReads | undefined;
  /** Runs it on a connection of its own, or in the transaction of the call. Throws a DatabaseFailure, or what `proceed` throws. */
  runAlone(call: Call, query: Query, how: RunOptions): Promise<Row[]>;
}

export interface RunOptions {
  /** It may run a second time if the connection ended before any result. */
  readonly retry: boolean;
  /** Until the server has shown that it understands the text, a transaction must survive that it does not. */
  readonly tentative: boolean;
  /** Only on a connection that was opened after this time, of `performance.now()`. */
  readonly since?: number;
  /** Receives the milliseconds that it took. */
  readonly latency?: LatencyEstimate;
}

/** Makes the statement of a definition. */
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

/** Makes that of a READ, which may be sent ahead. */
export function createReadStatement(host: StatementHost, definition: StatementDefinition): ReadStatement {
  const statement = createStatement(host, definition, 'read');
  const { runner } = statement;
  return Object.assign(statement, {
    start: (call: Call, values: readonly PassedValue[] = []) => start(runner, call, values),
    each: <Element>(
      call: Call,
      elements: readonly Element[],
      valuesOf: (element: Element) => readonly PassedValue[],
    ) => each(runner, call, elements, valuesOf),
  });
}

class StatementRunner implements ReadRunner {
  /** The text that is sent: without the RETURNING that was added, after the server has refused it. */
  private text: string | SqlTemplate;
  private tentative: boolean;
  private readonly latency = new LatencyEstimate();
  private readonly hasParameters: boolean;
  /** It has turned out to change data after all, in a function behind a view for example. */
  private writes = false;
  private readonly isAtomic: boolean;

  constructor(
    readonly host: StatementHost,
    private readonly definition: StatementDefinition,
    private readonly use: Query['use'],
  ) {
    this.text = withReturning(definition.sql, definition.returning);
    this.tentative = this.text !== definition.sql;
    this.hasParameters = definition.valueNames?.some((name) => name?.startsWith(parameter) === true) === true;
    const { sql } = definition;
    this.isAtomic = isAtomic(typeof sql === 'string' ? sql : sql.strings.join('?'));
  }

  /** Throws a ServiceError. */
  async run(call: Call, values: readonly PassedValue[]): Promise<Row[]> {
    const start = performance.now();
    try {
      const rows = await this.rows(call, values);
      if (this.use === 'read') holdRows(call, rows);
      else if (call.transaction === undefined) noteChange(call);
      return rows;
    } catch (error) {
      const toError = this.toError(error, values);
      // What a transaction undoes may run again; what it is a part of decides.
      throw call.transaction === undefined ? afterChanges(call, toError) : toError;
    } finally {
      this.ran(start);
    }
  }

  /** `start` is in milliseconds of `performance.now()`. */
  private ran(start: number): void {
    const { observer, name } = this.host;
    observer?.statementRan(name, (performance.now() - start) / 1000);
  }

  /** Throws a DatabaseFailure, or what `proceed` throws. */
  private async rows(call: Call, values: readonly PassedValue[]): Promise<Row[]> {
    call.proceed();
    const reads = this.sharing(call);
    const query = this.query(call, values, this.text);
    const sent = reads && this.sendShared(reads, call, query);
    if (sent === undefined) return await this.runAlone(call, values, query);
    return (await this.orAlone(sent, call, query)) ?? (await this.runAlone(call, values, query));
  }

  /** Sends it on a shared connection; undefined, or a promise of undefined, when there is none for it now. */
  private sendShared(reads: SharedReads, call: Call, query: Query): Promise<Row[] | undefined> | undefined {
    const { latency } = this;
    if (!latency.isQuick && !latency.isUnknown) return undefined;
    const sent = latency.isQuick ? reads.send(query, call.deadline, latency) : undefined;
    return sent ?? reads.sendAlone(query, call.deadline, latency, call.proceed.bind(call));
  }

  /** The connection on which it may be sent ahead, with the reads that follow; undefined if there is none now. */
  pinnedConnection(call: Call): SharedConnection | undefined {
    return this.latency.isQuick ? this.sharing(call)?.pinnedConnection() : undefined;
  }

  /**
   * Sends it ahead of its time; undefined when that cannot be. Rejects with a DatabaseFailure, which `toError` turns into what `run`
   * would throw. Throws a ServiceError when the values cannot be bound.
   */
  ahead(
    call: Call,
    values: readonly PassedValue[],
    pinnedConnection: SharedConnection,
  ): Promise<Row[]> | undefined {
    if (!this.latency.isQuick || pinnedConnection.reads !== this.sharing(call)) return undefined;
    const query = this.query(call, values, this.definition.sql, true);
    const start = performance.now();
    const sent = pinnedConnection.send(query, call.deadline, this.latency);
    if (this.host.observer !== undefined) {
      const ended = (): void => {
        this.ran(start);
      };
      sent?.then(ended, ended);
    }
    return sent;
  }

  private get isRetryable(): boolean {
    return this.use === 'read' && this.definition.retry !== false && !this.writes;
  }

  /** The error for the caller of a statement that was sent ahead and failed. */
  learn(error: unknown): void {
    if (error instanceof DatabaseFailure && error.failure.writes === true) this.writes = true;
  }

  /** The shared connections, where this statement may run on one of them. */
  private sharing(call: Call): SharedReads | undefined {
    if (this.use !== 'read' || !this.isRetryable || call.transaction !== undefined) return undefined;
    return this.host.sharedReads();
  }

  /**
   * If a connection ends under many statements, the cause is unknown: each runs once more alone on a new connection. A statement runs again
   * on any connection if it only waited for another one, met a conflict, or would have changed data.
   */
  private async orAlone(
    sent: Promise<Row[] | undefined>,
    call: Call,
    query: Query,
  ): Promise<Row[] | undefined> {
    let since = 0;
    try {
      return await sent;
    } catch (error) {
      this.learn(error);
      const { died, delayed, writes, kind } = error instanceof DatabaseFailure ? error.failure : {};
      if (died !== true && delayed !== true && writes !== true && kind !== 'conflict') throw error;
      if (died === true) since = performance.now();
    }
    call.proceed();
    const again = { ...query, changes: !this.isRetryable };
    return this.host.runAlone(call, again, {
      retry: since === 0 && this.isRetryable,
      tentative: false,
      since,
    });
  }

  private async runAlone(call: Call, values: readonly PassedValue[], query: Query): Promise<Row[]> {
    const options = { retry: this.isRetryable, tentative: this.tentative, latency: this.latency };
    const { sql } = this.definition;
    if (this.text === sql) return this.host.runAlone(call, query, options);
    try {
      const rows = await this.host.runAlone(call, query, options);
      this.tentative = false;
      return rows;
    } catch (error) {
      if (!mayRefuseReturning(error)) throw error;
      this.tentative = true;
      const rows = await this.host.runAlone(call, this.query(call, values, sql), options);
      this.text = sql;
      this.tentative = false;
      return rows;
    }
  }

  private query(
    call: Call,
    values: readonly PassedValue[],
    text: string | SqlTemplate,
    inOrder = false,
  ): Query {
    const { markers } = this.host.dialect;
    const { parameterTypes, columnNames, changesSession = false } = this.definition;
    const rendered = renderSql(text, values, markers);
    const sources = this.sourcesOf(rendered);
    return {
      text: rendered.text,
      ...(exactNumbers(call, rendered.values, sources) ?? {
        values: rendered.values,
        isJsonText: this.hasParameters ? (site) => isUndeclared(call, sources[site] ?? null) : undefined,
      }),
      ...(parameterTypes === undefined
        ? {}
        : { columns: { text: parameterTypes, origins: rendered.origins } }),
      ...(columnNames === undefined ? {} : { columnNames }),
      use: this.use,
      changes: !this.isRetryable,
      atomic: this.isAtomic,
      inTransaction: call.transaction !== undefined,
      changesSession,
      inOrder,
    };
  }

  /** One for each marker. */
  private sourcesOf({ origins }: RenderedSql): readonly Source[] {
    const { valueNames = none } = this.definition;
    return origins === undefined ? valueNames : origins.map((origin) => valueNames[origin] ?? null);
  }

  /** The error that ends the call: a failure of the database in the words of decisions 9.3, anything else as it is. */
  toError(error: unknown, values: readonly PassedValue[]): unknown {
    if (!(error instanceof DatabaseFailure)) return error;
    const { operation, fulfillment } = this.definition;
    const site = { datasource: this.host.name, operation, fulfillment };
    const toError = failureError(error, site, values.length > 0);
    const message = error.failure.kind === 'bad-value' ? this.refusal(error, values) : undefined;
    return message === undefined ? toError : new ServiceError(toError.status, message, toError.details);
  }

  private refusal({ failure }: DatabaseFailure, values: readonly PassedValue[]): string | undefined {
    const rendered = renderSql(this.text, values, this.host.dialect.markers);
    return refusedValue(failure, this.sourcesOf(rendered));
  }
}

/**
 * Where the body has numbers that a double cannot hold, their digits are JSON text. As the text of a document (`jsonText`) they are quoted,
 * since nothing but their place tells them from strings.
 */
function exactNumbers(
  call: Call,
  values: readonly SqlValue[],
  sources: readonly Source[],
): Pick<Query, 'values' | 'isJsonText'> | undefined {
  const { body } = call;
  if (!hasNumbers(body)) return undefined;
  const places = values.map((_, site) => placeIn(sources[site] ?? null));
  const isNumber = (site: number, digits: SqlValue): boolean => {
    const place = places[site];
    return typeof digits === 'string' && place !== undefined && isNumberAt(body, place, digits);
  };
  return {
    values: values.map((value, site) => {
      const digits = typeof value === 'string' ? value.slice(1, -1) : '';
      return value === `"${digits}"` && isNumber(site, digits) ? digits : value;
    }),
    isJsonText: (site) => isNumber(site, values[site] ?? null) || isUndeclared(call, sources[site] ?? null),
  };
}

/** Before version 17 RETURNING is invalid in a MERGE. It may also be forbidden, or not supported by a view with rules. */
function mayRefuseReturning(error: unknown): boolean {
  return error instanceof DatabaseFailure && returningCodes.has(error.failure.code);
}

const returningCodes = new Set<string | number | undefined>(['42601', '42501', '0A000']);

/** Whether it is a parameter of the request that the API description does not declare. */
function isUndeclared(call: Call, source: Source): boolean {
  const name = source?.startsWith(parameter) === true ? source.slice(parameter.length) : undefined;
  return name !== undefined && call.isDeclared?.(name) !== true;
}

const parameter = 'param.';

const none: readonly Source[] = [];

const white = String.raw`\s+|--[^\n]*(?:\n|$)|#[^\n]*(?:\n|$)|/\*(?!!)[^*]*\*+(?:[^*/][^*]*\*+)*/|\(`;
/** What SET does up to the end of the transaction on PostgreSQL is undone with it; on MySQL the compiler refuses it. */
const setting = String.raw`set\s+(?:local|transaction|constraints)`;
const verb = `select|insert|update|delete|merge|replace|with|values|table|${setting}`;
const atomicStart = new RegExp(`^(?:${white})*(?:${verb})\\b`, 'i');

/** What other systems do is not undone with a statement: a connection to another server, a request, a file. */
const outside = /\b(?:dblink\w*|http_\w+|lo_export|pg_background\w*)\s*\(/i;

/**
 * True where a failure leaves nothing of the statement. A procedure may commit on the way, as may everything that is not known
 * to be one of these statements.
 */
function isAtomic(text: string): boolean {
  return atomicStart.test(text) && !outside.test(text);
}
