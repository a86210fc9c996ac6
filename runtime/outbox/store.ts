/** The outbox in one database: its tables and statements. */
import { randomUUID } from 'node:crypto';
import type { Call } from '../handler/call.js';
import { textOf, type Json, type Row } from '../handler/json.js';
import { timedCall } from '../schedule/timed-run.js';
import { createStatement, type Statement } from '../sql/statement.js';
import { isRefusal } from '../sql/refusal.js';
import { ownStatements, type OwnStatements } from '../sql/own-statements.js';
import type { DatabaseDatasource } from '../sql/datasource.js';
import type { PassedValue } from '../sql/sql-template.js';
import type { RowContext } from '../sql/connection-settings.js';
import { inTransaction } from '../transactions/transaction.js';
import { Parking, type Keyed, type ParkingStatements } from './parking.js';
import {
  batch,
  failedSize,
  lockOf,
  mysqlStatements,
  postgresStatements,
  queueSize,
  type OutboxStatements,
} from './statements.js';
import type { StoredRequest } from './stored-request.js';
import { grantToRole, grantToUser, outboxTables } from './tables.js';

/** The members of a database datasource that the outbox uses. */
export type OutboxDatabase = Pick<DatabaseDatasource, 'name' | 'kind' | 'use'>;

/** A request that this process may send until its lease ends. */
export interface Claimed extends Omit<StoredRequest, 'datasource'> {
  readonly position: string;
  readonly lease: string;
  /** Number of claims, including this one. */
  readonly attempts: number;
  /** Milliseconds until the request expires. */
  readonly timeLeft: number;
}

export interface Claim {
  readonly requests: readonly Claimed[];
  /**
   * Whether there may be more requests; parks rows that block them. Call after starting to send the claimed requests, because their
   * leases are running.
   */
  readonly hasMore: () => Promise<boolean>;
}

/** The number of waiting or failed requests of a datasource, and the age of the oldest in seconds. */
export interface Count {
  readonly datasource: string;
  readonly state: 'waiting' | 'failed';
  readonly requests: number;
  readonly age: number;
}

/** Tables or privileges are missing, and this user cannot create or grant them. */
export class MissingTables extends Error {}

/** Milliseconds for one statement. */
const timeLimit = 5_000;
/** Milliseconds for checking the tables when the service starts. An unavailable database is retried later. */
const startTime = 2_000;
/** Milliseconds for creating a table or an index, because the table of an earlier version may be large. */
const makeTime = 60_000;
/** Concurrent grants on one table fail with "tuple concurrently updated". */
const concurrently = 'XX000';
const grants = 10;

type Name = Exclude<keyof OutboxStatements, 'lease' | 'leased' | keyof ParkingStatements>;

/** The outbox of a database. All statements run as the datasource user, without the datasource context. */
export class OutboxStore {
  readonly name: string;
  private readonly texts: OutboxStatements;
  private readonly statements: Readonly<Record<Name, Statement>>;
  private readonly lease: Statement | undefined;
  private readonly leased: Statement | undefined;
  /** Ends the role of the datasource in a transaction; undefined without a role. */
  private readonly resetRole: Statement | undefined;
  private readonly parking: Parking;
  private readonly tables: readonly string[];
  private readonly isPostgres: boolean;
  private readonly own: OwnStatements;

  constructor(
    private readonly database: OutboxDatabase,
    private readonly role: string | undefined,
  ) {
    const { name, kind } = database;
    this.name = name;
    this.isPostgres = kind === 'postgresql';
    this.texts = this.isPostgres ? postgresStatements : mysqlStatements;
    this.tables = outboxTables(kind);
    const { there, lock, store, claim, sent, called, notSent, release, clean, count, list } = this.texts;
    const { named, failed, retry, drop } = this.texts;
    const { behind, lockFree, touch, park, parkedNext, notDue, unpark } = this.texts;
    this.own = ownStatements(database, 'outbox');
    const { read, update } = this.own;
    this.statements = {
      there: read(there),
      lock: this.isPostgres ? update(lock) : read(lock),
      store: update(store),
      claim: this.isPostgres ? update(claim) : read(claim),
      sent: update(sent),
      called: update(called),
      notSent: update(notSent),
      release: update(release),
      clean: update(clean),
      count: read(count),
      list: read(list),
      named: read(named),
      failed: read(failed),
      retry: update(retry),
      drop: update(drop),
    };
    this.parking = new Parking({
      behind: read(behind),
      lockFree: read(lockFree),
      touch: update(touch),
      park: update(park),
      parkedNext: read(parkedNext),
      notDue: read(notDue),
      unpark: update(unpark),
    });
    this.resetRole = role === undefined ? undefined : update('reset role');
    this.lease = this.texts.lease && update(this.texts.lease);
    this.leased = this.texts.leased && read(this.texts.leased);
  }

  /** Creates missing tables. Throws a MissingTables with a message for operators, or a ServiceError 503 or 504. */
  async prepare(): Promise<void> {
    if (!(await this.isThere())) await this.makeTables();
    const { role } = this;
    if (role !== undefined) await this.allow(role);
  }

  private async makeTables(): Promise<void> {
    for (const [index, text] of this.tables.entries()) {
      let refused = await this.refusal(text);
      // Another instance may have created the table at the same time.
      if (refused !== undefined) refused = await this.refusal(text);
      if (refused === undefined) continue;
      if (await this.isThere()) return;
      const texts = [...this.tables.slice(index), ...(await this.rights())];
      throw new MissingTables(
        `the tables of the outbox cannot be made in ${this.name}${refused === '' ? '' : ` (${refused})`}; ${toRun(texts)}`,
      );
    }
  }

  /** Statements that grant the required privileges on tables of another owner. */
  private async rights(): Promise<readonly string[]> {
    if (!this.isPostgres) return [];
    const [row] = await this.own.read('select session_user::text as name')(timedCall(startTime));
    const ofRole = this.role === undefined ? [] : [grantToRole(this.role)];
    return [grantToUser(textOf(row?.['name'])), ...ofRole];
  }

  /** Grants access to the role, which may have been created later than the table. */
  private async allow(role: string): Promise<void> {
    if (await this.isAllowed(role)) return;
    const grant = grantToRole(role);
    let refused = await this.refusal(grant);
    for (let count = 1; refused === concurrently && count < grants; count += 1)
      refused = await this.refusal(grant);
    if (await this.isAllowed(role)) return;
    throw new MissingTables(
      `the role ${role} cannot store requests in the outbox of ${this.name}: it must find the table apikiln_outbox by its search_path, and have the right to insert; ${toRun([grant])}`,
    );
  }

  /** Whether the role has access. Checked as the role itself, as at run time. */
  private isAllowed(role: string): Promise<boolean> {
    const context: RowContext = {
      of: () => ({ text: "SELECT pg_catalog.set_config('role', $1, true)", values: [role] }),
      check: () => Promise.resolve(),
    };
    const { name, kind } = this.database;
    const host = { name, kind, context, use: () => this.database.use() };
    const sql = "select pg_catalog.has_table_privilege('apikiln_outbox', 'insert') as allowed";
    const definition = { operation: 'outbox', fulfillment: name, sql, retry: false as const };
    const allowed = createStatement(host, definition, 'read');
    return succeeds(async () => (await allowed(timedCall(startTime)))[0]?.['allowed'] === true);
  }

  /** Runs a statement. Returns the code of the failure, or an empty string. Throws a ServiceError 503 or 504. */
  private async refusal(text: string): Promise<string | undefined> {
    try {
      await this.own.update(text, false)(timedCall(makeTime));
      return undefined;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return textOf(error.details.log?.['code'] ?? null);
    }
  }

  /** Stores the requests in the transaction of the call. */
  async store(call: Call, requests: readonly StoredRequest[]): Promise<void> {
    const keys = [...new Set(requests.flatMap(({ orderKey }) => orderKey ?? []))];
    if (keys.length > 0) await this.statements.lock(call, [this.locksOf(keys)]);
    const rows = requests.map(({ orderKey, ...request }) => ({ ...request, order_key: orderKey }));
    await this.statements.store(call, [JSON.stringify(rows)]);
  }

  /** Claims the next requests of a datasource, with a lease of the given milliseconds. */
  async claim(datasource: string, leaseTime: number): Promise<Claim> {
    const lease = randomUUID();
    const rows = await this.run('claim', this.isPostgres ? [datasource, lease, leaseTime] : [datasource]);
    const requests = this.isPostgres
      ? rows.map((row) => claimedOf(row, lease, 0)).sort(byPosition)
      : await this.leasedOf(rows, lease, leaseTime);
    const isFull = rows.length === batch;
    // Either all due rows have been read, or the remaining rows may wait for rows of the same keys.
    const isAll = rows[0] !== undefined && Number(rows[0]['queued']) < queueSize;
    return {
      requests,
      hasMore: async () => isFull || (!isAll && (await this.parking.park(datasource)) > 0),
    };
  }

  /** Leases the rows that are still available. */
  private async leasedOf(rows: readonly Row[], lease: string, leaseTime: number): Promise<Claimed[]> {
    const positions = rows.map(positionOf);
    if (positions.length === 0) return [];
    const [changed] = (await this.lease?.(timedCall(timeLimit), [lease, String(leaseTime), positions])) ?? [];
    let isOurs = (_position: string): boolean => true;
    if (changed?.['affected_rows'] !== positions.length) {
      const ours = (await this.leased?.(timedCall(timeLimit), [lease, positions])) ?? [];
      const all = new Set(ours.map(positionOf));
      isOurs = (position) => all.has(position);
    }
    return rows.filter((row) => isOurs(positionOf(row))).map((row) => claimedOf(row, lease, 1));
  }

  /** Makes requests of a datasource due that are no longer blocked. Returns their number. */
  sweep(datasource: string): Promise<number> {
    return this.parking.sweep(datasource);
  }

  /** Records requests that have arrived, regardless of which process holds their lease. */
  async sent(requests: readonly Keyed[]): Promise<void> {
    const positions = requests.map(({ position }) => position);
    if (requests.every(({ orderKey }) => orderKey === null)) await this.run('sent', [positions]);
    else await this.remove(requests, (call) => this.statements.sent(call, [positions]));
  }

  /**
   * Records in the transaction of the call that the stored call was made. False if its lease has ended, and another process may make the call
   * too.
   */
  async called(call: Call, { position, lease }: Claimed): Promise<boolean> {
    // A statement of the operation may have set the role, which may only store requests.
    await this.resetRole?.(call);
    const rows = await this.statements.called(call, [position, lease]);
    return (this.isPostgres ? rows.length : Number(rows[0]?.['affected_rows'])) === 1;
  }

  /** Whether the transaction has a part on another database. */
  isAlone(parts: ReadonlyMap<object, unknown>): boolean {
    const opened = this.database.use();
    return [...parts.keys()].every((part) => part === opened);
  }

  /** Runs a statement that removes these rows from their keys. */
  private remove(rows: readonly Keyed[], statement: (call: Call) => Promise<Row[]>): Promise<Row[]> {
    const removed = async (call: Call): Promise<Row[]> => {
      const result = await statement(call);
      await this.parking.unparkNext(call, rows);
      return result;
    };
    return inTransaction(timedCall(timeLimit), removed, { retryOnConflict: true });
  }

  /** Schedules the request for a retry after `time` milliseconds, or marks it as failed, unless its lease has ended. */
  async notSent(
    { position, lease }: Claimed,
    {
      state,
      reason,
      pause,
    }: { readonly state: 'waiting' | 'failed'; readonly reason: string; readonly pause: number },
  ): Promise<void> {
    const time = Math.round(pause);
    await this.run('notSent', [state, reason, this.isPostgres ? time : String(time), position, lease]);
  }

  /** Releases leases, so that other processes can send the requests immediately. */
  async release(leases: string[]): Promise<void> {
    await this.run('release', [leases]);
  }

  async clean(datasource: string): Promise<void> {
    await this.run('clean', [datasource]);
  }

  async count(): Promise<Count[]> {
    const rows = await this.run('count', []);
    return rows.map((row) => ({
      datasource: textOf(row['datasource']),
      state: row['state'] === 'failed' ? 'failed' : 'waiting',
      requests: Number(row['requests']),
      age: Number(row['age']),
    }));
  }

  /** Up to 1,000 requests, oldest first. */
  list(state: 'waiting' | 'failed'): Promise<Row[]> {
    return this.run('list', [state]);
  }

  /** Retries or drops requests. Returns their number. */
  async resolve(action: 'retry' | 'drop', ids: string[]): Promise<number> {
    return this.resolveRows(action, await this.run('named', [ids]));
  }

  /** Retries or drops all failed requests, each only once, even if it fails again in the meantime. Returns their number. */
  async resolveAll(action: 'retry' | 'drop'): Promise<number> {
    let count = 0;
    for (let position = '0'; ;) {
      const rows = await this.run('failed', [position]);
      count += await this.resolveRows(action, rows);
      const last = rows.at(-1);
      if (last === undefined || rows.length < failedSize) return count;
      position = positionOf(last);
    }
  }

  private async resolveRows(action: 'retry' | 'drop', rows: readonly Row[]): Promise<number> {
    if (rows.length === 0) return 0;
    const positions = rows.map(positionOf);
    const resolved =
      action === 'retry'
        ? await this.run('retry', [positions])
        : await this.remove(rows.map(keyedOf), (call) => this.statements.drop(call, [positions]));
    return this.isPostgres ? resolved.length : Number(resolved[0]?.['affected_rows']);
  }

  private isThere(): Promise<boolean> {
    return succeeds(async () => {
      const [row] = await this.statements.there(timedCall(startTime));
      return Number(row?.['ready']) === 1;
    });
  }

  private run(name: Name, values: readonly PassedValue[]): Promise<Row[]> {
    return this.statements[name](timedCall(timeLimit), values);
  }

  private locksOf(keys: readonly string[]): Json {
    return this.isPostgres ? JSON.stringify(keys) : [...new Set(keys.map(lockOf))];
  }
}

/** The result of an attempt; false if the database rejects the statement. */
async function succeeds(attempt: () => Promise<boolean>): Promise<boolean> {
  try {
    return await attempt();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return false;
  }
}

function toRun(texts: readonly string[]): string {
  return `run this there as a user who may:\n\n${texts.join(';\n')};\n`;
}

/** Sorts rows by position, because an UPDATE returns rows in any order. */
function byPosition(one: Claimed, other: Claimed): number {
  return Number(one.position) - Number(other.position);
}

function positionOf(row: Row): string {
  return textOf(row['position']);
}

function keyedOf(row: Row): Keyed {
  return { position: positionOf(row), orderKey: textOrNull(row, 'order_key') };
}

function textOrNull(row: Row, name: string): string | null {
  return row[name] === null ? null : textOf(row[name]);
}

/** `more`: number of attempts not yet counted in the row. */
function claimedOf(row: Row, lease: string, more: number): Claimed {
  const text = (name: string): string => textOf(row[name]);
  return {
    position: positionOf(row),
    lease,
    attempts: Number(row['attempts']) + more,
    timeLeft: Number(row['time_left']),
    id: text('id'),
    operation: text('operation'),
    fulfillment: text('fulfillment'),
    orderKey: textOrNull(row, 'order_key'),
    method: text('method'),
    url: text('url'),
    header: text('header'),
    content: textOrNull(row, 'content'),
  };
}
