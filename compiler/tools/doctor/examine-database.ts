/** Tests on a database everything that services rely on. */
import { randomBytes } from 'node:crypto';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import type { ConnectionSettings } from '../../../runtime/sql/connection-settings.js';
import type { DatabaseSystem } from '../../../runtime/sql/driver.js';
import type { Dialect } from '../../read/sql/dialect.js';
import { driverOf } from '../../../runtime/sql/hosts.js';
import { oneServer } from '../../analyze/database/ask-server.js';
import { DatabaseError, textOf, unreachable } from '../../analyze/database/server.js';
import type { Bench, Probe } from './probe.js';
import { columnTypes, probes } from './probes.js';
import { replicaProbes } from './replica-probes.js';
import { Session } from './session.js';

/** `detail`: the observed behaviour, or how it deviates, without secrets. */
export interface Finding {
  readonly probe: Pick<Probe, 'promise' | 'otherwise' | 'need'>;
  readonly holds: boolean;
  readonly detail?: string;
}

export interface Examination {
  /** The server's version as reported by the server. */
  readonly version: string;
  readonly findings: readonly Finding[];
  /** Driver warnings during the examination. */
  readonly warnings: readonly string[];
  readonly replica?: Omit<Examination, 'replica'>;
}

export interface Examined {
  readonly dialect: Dialect;
  readonly settings: ConnectionSettings;
  /** Settings of the read replica. */
  readonly replica?: ConnectionSettings | undefined;
}

/** Milliseconds per probe; a statement that sleeps takes 20 seconds. */
const limit = 15_000;

/**
 * Creates a temporary table in the database, and drops it at the end. Throws a DatabaseError if a server does not respond or the table
 * cannot be created.
 */
export async function examineDatabase(
  { dialect, settings: several, replica }: Examined,
  tell: (promise: string) => void,
): Promise<Examination> {
  const { system } = (dialect === 'postgresql' ? postgres : mysql)({ name: 'doctor' });
  const warnings: string[] = [];
  const settings = await oneServer(dialect, several);
  const driver = system.driver(settings, (warning) => warnings.push(warning));
  const open = async (isShared = false): Promise<Session> => new Session(await driver.connect(isShared));
  const table = `apikiln_doctor_${randomBytes(6).toString('hex')}`;
  const session = await open().catch((error: unknown): never => {
    throw unreachable(settings, messageOf(error));
  });
  try {
    const version = await versionOf(session);
    await session.change(`CREATE TABLE ${table} (${columnTypes[dialect]})`).catch((error: unknown): never => {
      throw unreachable(settings, `no table can be created for the examination (${messageOf(error)})`);
    });
    const findings: Finding[] = [];
    const marker = (number: number): string => (dialect === 'postgresql' ? `$${number}` : '?');
    const bench = { driver, dialect, table, marker, open };
    for (const probe of probes) {
      if (probe.dialect !== undefined && probe.dialect !== dialect) continue;
      tell(probe.promise);
      await session.change(`DELETE FROM ${table}`);
      findings.push(await tried(probe, bench, (own) => probe.run(own)));
    }
    const examination = { version, findings, warnings };
    if (replica === undefined) return examination;
    return { ...examination, replica: await examineReplica(bench, session, system, replica, tell) };
  } finally {
    await session.change(`DROP TABLE IF EXISTS ${table}`).catch(() => undefined);
    await session.end();
  }
}

async function examineReplica(
  bench: Bench,
  primary: Session,
  system: DatabaseSystem,
  settings: ConnectionSettings,
  tell: (promise: string) => void,
): Promise<Omit<Examination, 'replica'>> {
  const warnings: string[] = [];
  const driver = driverOf(system, settings, (warning) => warnings.push(warning));
  const open = async (isShared = false): Promise<Session> => new Session(await driver.connect(isShared));
  const session = await open().catch((error: unknown): never => {
    throw new DatabaseError('unreachable', `the replica cannot be queried: ${messageOf(error)}.`);
  });
  try {
    const version = await versionOf(session);
    const findings: Finding[] = [];
    const own = { ...bench, driver, open };
    for (const probe of probes.filter(({ alsoOnReplica }) => alsoOnReplica)) {
      tell(probe.promise);
      findings.push(await tried(probe, own, (bench) => probe.run(bench)));
    }
    for (const probe of replicaProbes) {
      tell(probe.promise);
      let noted: string | undefined;
      const note = (text: string): void => {
        noted = text;
      };
      const finding = await tried(probe, own, (bench) => probe.run({ ...bench, primary, note }));
      findings.push(finding.holds && noted !== undefined ? { ...finding, detail: noted } : finding);
    }
    return { version, findings, warnings };
  } finally {
    await session.end();
  }
}

async function versionOf(session: Session): Promise<string> {
  const [row] = await session.read('SELECT version() AS version');
  return textOf(row?.version);
}

/** The number of sessions used by the examination itself. */
const kept = 1;

const tooFew =
  'calls wait for a connection and fail under load: a service opens up to POOL_MAX sessions at the same time';

/** The server, or the pooler in front of it, does not accept more sessions. */
class TooFewSessions extends Error {
  constructor(open: number, reason: string) {
    super(
      `${open === 1 ? 'one session is' : `${open} sessions are`} open, and no further session can be opened (${reason}): raise the number of sessions of the pooler (default_pool_size) or the server (max_connections)`,
    );
  }
}

async function tried(
  probe: Finding['probe'],
  bench: Bench,
  run: (bench: Bench) => Promise<void>,
): Promise<Finding> {
  const opened: Session[] = [];
  const open = async (isShared?: boolean): Promise<Session> => {
    const session = await bench.open(isShared).catch((error: unknown): never => {
      throw new TooFewSessions(opened.length + kept, messageOf(error));
    });
    opened.push(session);
    return session;
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`it takes longer than ${limit / 1000} seconds`));
    }, limit);
  });
  const work = run({ ...bench, open });
  try {
    await Promise.race([work, late]);
    return { probe, holds: true };
  } catch (error) {
    const isNumber = error instanceof TooFewSessions;
    return {
      probe: isNumber ? { ...probe, otherwise: tooFew } : probe,
      holds: false,
      detail: messageOf(error),
    };
  } finally {
    clearTimeout(timer);
    // Work that exceeds its time limit fails when its connections are closed.
    work.catch(() => undefined);
    for (const session of opened) session.destroy();
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').trim();
}
