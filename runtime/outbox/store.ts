/** The outbox of one database: its table, and the statements on it. */
import { randomUUID } from 'node:crypto';
import type { Call } from '../handler/call.js';
import { textOf, type Json, type Row } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { timedCall } from '../schedule/timed-run.js';
import type { Statement } from '../sql/database.js';
import type { DatabaseDatasource } from '../sql/datasource.js';
import type { PassedValue, SqlTemplate } from '../sql/sql.js';
import { createStatement } from '../sql/statement.js';
import { lockOf, mysqlStatements, postgresStatements, type OutboxStatements } from './statements.js';
import type { StoredRequest } from './stored-request.js';
import { outboxTables } from './tables.js';

/** The part of a database datasource that the outbox needs. */
export type OutboxDatabase = Pick<DatabaseDatasource, 'name' | 'kind' | 'dialect' | 'use'>;

/** A request that this process may send until its lease ends. */
export interface Claimed extends Omit<StoredRequest, 'datasource'> {
  readonly position: string;
  readonly lease: string;
  /** How often it has been claimed, this time included. */
  readonly attempts: number;
  /** Milliseconds until it is given up. */
  readonly timeLeft: number;
}

/** How many requests of a datasource wait, or have failed, and the seconds since the first of them was stored. */
export interface Count {
  readonly datasource: string;
  readonly state: 'waiting' | 'failed';
  readonly requests: number;
  readonly age: number;
}

/** The tables are missing, and this user may not make them. */
export class MissingTables extends Error {}

/** Milliseconds for one statement. */
const timeLimit = 5_000;
/** Milliseconds to look for the tables when the service starts; a database that is not available yet is waited for later. */
const startTime = 2_000;

type Name = Exclude<keyof OutboxStatements, 'lease' | 'leased'>;

/** Rows of all statements are read and written as the user of the datasource, without its context. */
export class OutboxStore {
  readonly name: string;
  private readonly texts: OutboxStatements;
  private readonly statements: Readonly<Record<Name, Statement>>;
  private readonly lease: Statement | undefined;
  private readonly leased: Statement | undefined;
  private readonly tables: readonly string[];
  private readonly isPostgres: boolean;

  constructor(
    private readonly database: OutboxDatabase,
    role: string | undefined,
  ) {
    const { name, kind } = database;
    this.name = name;
    this.isPostgres = kind === 'postgresql';
    this.texts = this.isPostgres ? postgresStatements : mysqlStatements;
    this.tables = outboxTables(kind, role);
    const { there, lock, store, claim, sent, notSent, release, clean, count, list, retry, drop } = this.texts;
    this.statements = {
      there: this.read(there),
      lock: this.isPostgres ? this.update(lock) : this.read(lock),
      store: this.update(store),
      claim: this.isPostgres ? this.update(claim) : this.read(claim),
      sent: this.update(sent),
      notSent: this.update(notSent),
      release: this.update(release),
      clean: this.update(clean),
      count: this.read(count),
      list: this.read(list),
      retry: this.update(retry),
      drop: this.update(drop),
    };
    this.lease = this.texts.lease && this.update(this.texts.lease);
    this.leased = this.texts.leased && this.read(this.texts.leased);
  }

  /** Makes the tables that are missing. Throws a MissingTables whose message is for operators, or a ServiceError of 503 or 504. */
  async prepare(): Promise<void> {
    if (await this.isThere()) return;
    for (const [index, text] of this.tables.entries()) {
      try {
        await this.update(text, false)(timedCall(startTime));
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status === 503 || error.status === 504) throw error;
        // Another instance makes it at the same time.
        if (await this.isThere()) return;
        const { code } = error.details.log ?? {};
        throw new MissingTables(
          `the tables of the outbox cannot be made in ${this.name}${code === undefined ? '' : ` (${code})`}; run this there as a user who may:\n\n${this.tables.slice(index).join(';\n')};\n`,
        );
      }
    }
  }

  /** Stores the requests in the transaction of the call. */
  async store(call: Call, requests: readonly StoredRequest[]): Promise<void> {
    const keys = [...new Set(requests.flatMap(({ orderKey }) => orderKey ?? []))];
    if (keys.length > 0) await this.statements.lock(call, [this.locksOf(keys)]);
    const rows = requests.map(({ orderKey, ...request }) => ({ ...request, order_key: orderKey }));
    await this.statements.store(call, [JSON.stringify(rows)]);
  }

  /** The next requests of a datasource, each with a lease of that time in milliseconds. */
  async claim(datasource: string, leaseTime: number): Promise<Claimed[]> {
    const lease = randomUUID();
    if (this.isPostgres) {
      const rows = await this.run('claim', [datasource, lease, leaseTime]);
      return rows.map((row) => claimedOf(row, lease, 0));
    }
    const rows = await this.run('claim', [datasource, datasource]);
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

  /** Whoever sends them now: they have arrived. */
  async sent(positions: string[]): Promise<void> {
    await this.run('sent', [positions]);
  }

  /** It waits for that time in milliseconds, or has failed; unless its lease has ended. */
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

  /** Others may send the requests of these leases at once. */
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

  /** At most 1,000, the oldest first. */
  list(state: 'waiting' | 'failed'): Promise<Row[]> {
    return this.run('list', [state]);
  }

  /** How many of them are sent again, or removed. */
  async resolve(action: 'retry' | 'drop', ids: string[]): Promise<number> {
    if (ids.length === 0) return 0;
    const rows = await this.run(action, [ids]);
    return this.isPostgres ? rows.length : Number(rows[0]?.['affected_rows']);
  }

  private async isThere(): Promise<boolean> {
    try {
      await this.statements.there(timedCall(startTime));
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status === 503 || error.status === 504) throw error;
      return false;
    }
  }

  private run(name: Name, values: readonly PassedValue[]): Promise<Row[]> {
    return this.statements[name](timedCall(timeLimit), values);
  }

  private locksOf(keys: readonly string[]): Json {
    return this.isPostgres ? JSON.stringify(keys) : [...new Set(keys.map(lockOf))];
  }

  private read(sql: string | SqlTemplate): Statement {
    return createStatement(this.database, { ...this.site, sql, retry: false }, 'read');
  }

  private update(sql: string | SqlTemplate, isAtomic = true): Statement {
    const definition = { ...this.site, sql, ...(isAtomic ? {} : { atomic: false as const }) };
    return createStatement(this.database, definition, 'update');
  }

  private get site(): { readonly operation: string; readonly fulfillment: string } {
    return { operation: 'outbox', fulfillment: this.database.name };
  }
}

function positionOf(row: Row): string {
  return textOf(row['position']);
}

/** `more`: attempts that the row does not count yet. */
function claimedOf(row: Row, lease: string, more: number): Claimed {
  const text = (name: string): string => textOf(row[name]);
  const textOrNull = (name: string): string | null => (row[name] === null ? null : text(name));
  return {
    position: positionOf(row),
    lease,
    attempts: Number(row['attempts']) + more,
    timeLeft: Number(row['time_left']),
    id: text('id'),
    operation: text('operation'),
    fulfillment: text('fulfillment'),
    orderKey: textOrNull('order_key'),
    method: text('method'),
    url: text('url'),
    header: text('header'),
    content: textOrNull('content'),
  };
}
