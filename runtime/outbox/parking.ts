/**
 * Parks rows that wait for an earlier row of their key, so that claims do not read them. Parking does not affect what is sent, or in
 * which order:
 *
 * - Only the first unsent row of a key is claimed: each claim checks for an earlier one. A key never receives an earlier row later,
 *   because transactions that store the same key commit one after the other.
 * - A claim only reads the first due rows. If most of these wait for other rows, they are parked: not due for an hour. Thus, each row
 *   is only read a few times, however many there are.
 * - Parking a row requires the lock of the first row of its key. Removing a row from its key (because it was sent or dropped) makes the
 *   next row due in the same transaction, with a snapshot taken after the removal. Therefore, either the removal sees the parked row,
 *   or parking sees the removal and is skipped. With transaction-wide snapshots (REPEATABLE READ on PostgreSQL), that snapshot would be
 *   too old. Therefore, parking also writes the first row, which causes a conflict there. Parking never waits for a lock.
 * - Rows missed for other reasons (a process of an earlier version has sent the first row, or it was deleted by hand) are found by
 *   `sweep`, which checks some of the rows that are not due every few seconds, and by a claim after an hour at the latest.
 */
import type { Json, Row } from '../handler/json.js';
import { textOf } from '../handler/json.js';
import { timedCall } from '../schedule/timed-run.js';
import type { Call } from '../handler/call.js';
import type { Statement } from '../sql/statement.js';
import { inTransaction } from '../transactions/transaction.js';
import { sweepSize } from './statements.js';

/** A row with a key. */
export interface Keyed {
  readonly position: string;
  readonly orderKey: string | null;
}

export type ParkingStatements = Readonly<
  Record<'behind' | 'lockFree' | 'touch' | 'park' | 'parkedNext' | 'notDue' | 'unpark', Statement>
>;

/** Milliseconds for one statement. */
const timeLimit = 5_000;
/** A position before all rows that are not due. */
const beginning: readonly [due: string, position: string] = ['1970-01-01 00:00:00', '0'];

export class Parking {
  /** By datasource, the due time and position of the row after which the next sweep begins. */
  private readonly swept = new Map<string, readonly [due: string, position: string]>();

  constructor(private readonly statements: ParkingStatements) {}

  /** Parks due rows of a datasource that wait for another row of their key. Returns their number; 0 if few rows are due. */
  async park(datasource: string): Promise<number> {
    const behind = await this.statements.behind(timedCall(timeLimit), [datasource]);
    if (behind.length === 0) return 0;
    const positions = new Set(behind.flatMap((row) => [positionOf(row), textOf(row['first'])]));
    const park = async (call: Call): Promise<number> => {
      const rows = await this.statements.lockFree(call, [[...positions]]);
      const locked = new Set(rows.map(positionOf));
      const free = behind.filter((row) => locked.has(positionOf(row)) && locked.has(textOf(row['first'])));
      if (free.length === 0) return 0;
      const firsts = new Set(free.map((row) => textOf(row['first'])));
      await this.statements.touch(call, [[...firsts]]);
      await this.statements.park(call, [free.map(positionOf)]);
      return free.length;
    };
    return inTransaction(timedCall(timeLimit), park, { retryOnConflict: true });
  }

  /** Makes the next row of each key due, after the transaction of the call has removed the given rows. */
  async unparkNext(call: Call, removed: readonly Keyed[]): Promise<void> {
    const keyed = removed.flatMap(({ position, orderKey }) =>
      orderKey === null ? [] : [[orderKey, position]],
    );
    if (keyed.length === 0) return;
    const next = await this.statements.parkedNext(call, [JSON.stringify(keyed satisfies Json)]);
    if (next.length > 0) await this.statements.unpark(call, [next.map(positionOf)]);
  }

  /** Unparks rows that are the first of their key. Each call checks the next batch of rows. Returns the number of unparked rows. */
  async sweep(datasource: string): Promise<number> {
    const [due, position] = this.swept.get(datasource) ?? beginning;
    const rows = await this.statements.notDue(timedCall(timeLimit), [datasource, due, due, position]);
    const last = rows.at(-1);
    if (last === undefined || rows.length < sweepSize) this.swept.delete(datasource);
    else this.swept.set(datasource, [textOf(last['due']), positionOf(last)]);
    const strays = rows.filter(isStray).map(positionOf);
    if (strays.length > 0) await this.statements.unpark(timedCall(timeLimit), [strays]);
    return strays.length;
  }
}

function isStray(row: Row): boolean {
  return Number(row['stray']) === 1;
}

function positionOf(row: Row): string {
  return textOf(row['position']);
}
