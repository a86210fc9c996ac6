/** A probe tests one promise of a database that services rely on. */
import type { Driver } from '../../../runtime/sql/driver.js';
import { asFailure, type FailureKind } from '../../../runtime/sql/failure.js';
import type { Dialect } from '../../read/sql/dialect.js';
import type { Session } from './session.js';

export interface Probe {
  /** The promise, as a sentence about the database. */
  readonly promise: string;
  /** The effect of a broken promise on a service. */
  readonly otherwise: string;
  /** `optional`: services can work without it. */
  readonly need: 'required' | 'optional';
  /** The kind of database that makes this promise; both kinds if omitted. */
  readonly dialect?: Dialect;
  /** Set if the probe does not need rows in the table, so that it also runs on a replica. */
  readonly alsoOnReplica?: true;
  /** Succeeds if the promise holds. Otherwise throws a Differs, or the driver's error. */
  run(bench: Bench): Promise<void>;
}

/** The connections and helpers of a probe. */
export interface Bench {
  readonly driver: Driver;
  readonly dialect: Dialect;
  /**
   * A table created by the doctor, with the columns id, amount, whole, price, name, at, flag and doc. It is empty at the start of each
   * probe.
   */
  readonly table: string;
  /** The placeholder for the nth value, starting at 1. */
  readonly marker: (number: number) => string;
  /** Opens a connection, which is closed after the probe. */
  open(isShared?: boolean): Promise<Session>;
}

/** A promise of a replica. */
export interface ReplicaProbe extends Omit<Probe, 'run'> {
  run(bench: ReplicaBench): Promise<void>;
}

/** The connections and helpers of a replica probe. Connections go to the replica, to which the table is replicated. */
export interface ReplicaBench extends Bench {
  readonly primary: Session;
  /** Adds a note to a promise that holds. */
  note(text: string): void;
}

/** A broken promise, with what was observed. */
export class Differs extends Error {
  override readonly name = 'Differs';
}

/** Throws a Differs unless the values are equal as JSON. */
export function expectSame(what: string, seen: unknown, expected: unknown): void {
  const [found, wanted] = [seen, expected].map((value) => JSON.stringify(value));
  if (found !== wanted)
    throw new Differs(`${what} is ${found ?? 'nothing'} instead of ${wanted ?? 'nothing'}`);
}

/** Throws a Differs unless the work fails with an error that services recognize. */
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
