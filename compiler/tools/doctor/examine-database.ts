/** Tries on a database everything that services rely on. */
import { randomBytes } from 'node:crypto';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import type { ConnectionSettings } from '../../../runtime/sql/connection-settings.js';
import type { Dialect } from '../../read/sql/dialect.js';
import { oneServer } from '../../analyze/database/ask-server.js';
import { textOf, unreachable } from '../../analyze/database/server.js';
import type { Bench, Probe } from './probe.js';
import { columnTypes, probes } from './probes.js';
import { Session } from './session.js';

/** `detail`: what was seen instead, without a secret. */
export interface Finding {
  readonly probe: Probe;
  readonly holds: boolean;
  readonly detail?: string;
}

export interface Examination {
  /** The server's own description of itself. */
  readonly version: string;
  readonly findings: readonly Finding[];
  /** What the driver has warned of meanwhile. */
  readonly warnings: readonly string[];
}

/** Milliseconds that a probe has; a statement that sleeps takes 20 seconds. */
const limit = 15_000;

/**
 * Makes a table of its own in the database, and drops it at the end. Throws a DatabaseError where the server does not respond, or the table
 * cannot be made.
 */
export async function examineDatabase(
  dialect: Dialect,
  several: ConnectionSettings,
  tell: (probe: Probe) => void,
): Promise<Examination> {
  const { dialect: system } = (dialect === 'postgresql' ? postgres : mysql)({ name: 'doctor' });
  const warnings: string[] = [];
  const settings = await oneServer(dialect, several);
  const driver = system.driver(settings, (warning) => warnings.push(warning));
  const open = async (isShared = false): Promise<Session> => new Session(await driver.connect(isShared));
  const table = `apikiln_doctor_${randomBytes(6).toString('hex')}`;
  const session = await open().catch((error: unknown): never => {
    throw unreachable(settings, messageOf(error));
  });
  try {
    const [row] = await session.read('SELECT version() AS version');
    await session.change(`CREATE TABLE ${table} (${columnTypes[dialect]})`).catch((error: unknown): never => {
      throw unreachable(settings, `no table can be made for the examination (${messageOf(error)})`);
    });
    const findings: Finding[] = [];
    const marker = (number: number): string => system.markers.marker(number);
    for (const probe of probes) {
      if (probe.dialect !== undefined && probe.dialect !== dialect) continue;
      tell(probe);
      await session.change(`DELETE FROM ${table}`);
      findings.push(await tried(probe, { driver, dialect, table, marker, open }));
    }
    return { version: textOf(row?.version), findings, warnings };
  } finally {
    await session.change(`DROP TABLE IF EXISTS ${table}`).catch(() => undefined);
    await session.end();
  }
}

async function tried(probe: Probe, bench: Bench): Promise<Finding> {
  const opened: Session[] = [];
  const open = async (isShared?: boolean): Promise<Session> => {
    const session = await bench.open(isShared);
    opened.push(session);
    return session;
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`it takes longer than ${limit / 1000} seconds`));
    }, limit);
  });
  const work = probe.run({ ...bench, open });
  try {
    await Promise.race([work, late]);
    return { probe, holds: true };
  } catch (error) {
    return { probe, holds: false, detail: messageOf(error) };
  } finally {
    clearTimeout(timer);
    // What goes on after its time fails when its connections are gone.
    work.catch(() => undefined);
    for (const session of opened) session.destroy();
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').trim();
}
