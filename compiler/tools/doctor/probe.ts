/** A probe: one promise of a database that services rely on, and how it is tried. */
import type { Driver } from '../../../runtime/sql/driver.js';
import { asFailure, type FailureKind } from '../../../runtime/sql/failure.js';
import type { Dialect } from '../../read/sql/dialect.js';
import type { Session } from './session.js';

export interface Probe {
  /** The promise, as a sentence about the database. */
  readonly promise: string;
  /** The consequence for a service if the promise is broken. */
  readonly otherwise: string;
  /** `optional`: services cope without it. */
  readonly need: 'required' | 'optional';
  /** The kinds of database that make this promise; both where it is left out. */
  readonly dialect?: Dialect;
  /** It needs no row of the table, so it is also tried on a replica. */
  readonly alsoOnReplica?: true;
  /** Ends normally where the promise holds. Throws a Differs where it does not, or the error of the driver. */
  run(bench: Bench): Promise<void>;
}

/** The tools of a probe. */
export interface Bench {
  readonly driver: Driver;
  readonly dialect: Dialect;
  /** A table of the doctor's own with the columns id, amount, whole, price, name, at, flag and doc. It is empty at the start of each probe. */
  readonly table: string;
  /** The marker of the value with this number, from 1. */
  readonly marker: (number: number) => string;
  /** A new connection, which is closed after the probe. */
  open(isShared?: boolean): Promise<Session>;
}

/** A promise of a replica. */
export interface ReplicaProbe extends Omit<Probe, 'run'> {
  run(bench: ReplicaBench): Promise<void>;
}

/** The tools of a probe of a replica: its connections go to the replica, to which the table is replicated. */
export interface ReplicaBench extends Bench {
  readonly primary: Session;
  /** Adds a note for a promise that holds. */
  note(text: string): void;
}

/** A broken promise, with the observation. */
export class Differs extends Error {
  override readonly name = 'Differs';
}

/** Throws a Differs where the values are not the same JSON. */
export function expectSame(what: string, seen: unknown, expected: unknown): void {
  const [found, wanted] = [seen, expected].map((value) => JSON.stringify(value));
  if (found !== wanted)
    throw new Differs(`${what} is ${found ?? 'nothing'} instead of ${wanted ?? 'nothing'}`);
}

/** Throws a Differs where the work does not fail, or fails in another way than services know it. */
export async function expectFailure(
  what: string,
  { driver }: Bench,
  kind: FailureKind,
  work: Promise<unknown>,
): Promise<void> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error === undefined) throw new Differs(`${what} is not refused`);
  const { failure } = asFailure(error, () => driver.failureOf(error, ''));
  if (failure.kind !== kind)
    throw new Differs(
      `${what} fails with ${String(failure.code ?? failure.kind)}, which services treat as '${failure.kind}', not as '${kind}'`,
    );
}
