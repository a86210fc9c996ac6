/** Several instances of a service share a ledger while some of them are killed; reports what happened to every tick. */
import { setTimeout as delay } from 'node:timers/promises';
import type { AttachedServer } from '../../../helpers/database-server.js';
import { startProcess, type Started } from '../../start-process.js';

export interface LedgerPlay {
  readonly instances: number;
  readonly milliseconds: number;
  /** Milliseconds after which an instance is killed and replaced, repeatedly. */
  readonly killEvery: number;
  /** Milliseconds by which the instances' clocks are wrong, assigned in turn. */
  readonly skews: readonly number[];
}

export interface LedgerFigures {
  /** Ticks between the first and the last claimed one. */
  readonly ticks: number;
  /** Unclaimed ticks among these. */
  readonly unclaimed: number;
  /** Claimed ticks whose holder was killed before it recorded the end of the run. */
  readonly lostWithHolder: number;
  readonly twice: number;
  /** Runs that have left a record in the database. */
  readonly runs: number;
  readonly kills: number;
}

/** Creates the tables in an existing database, and runs the test. */
export async function playLedger(
  server: AttachedServer,
  database: string,
  { instances, milliseconds, killEvery, skews }: LedgerPlay,
): Promise<LedgerFigures> {
  const auto = server.jdbcUrl('').startsWith('jdbc:postgresql:') ? 'serial' : 'int auto_increment';
  await server.exec(database, `create table run (id ${auto} primary key)`);
  const all: Started[] = [];
  const start = () => {
    const started = startProcess('./sql/ledger/main.ts', {
      DATASOURCE_JOBS_URL: server.jdbcUrl(database),
      DATASOURCE_JOBS_USER: server.user,
      DATASOURCE_JOBS_PASSWORD: server.password,
      SCHEDULE_LEDGER: 'jobs',
      SKEW: String(skews[all.length % skews.length] ?? 0),
    });
    all.push(started);
    return started;
  };

  const running = Array.from({ length: instances }, start);
  await Promise.all(running.map((instance) => instance.port()));
  const end = performance.now() + milliseconds;
  let kills = 0;
  while (end - performance.now() > killEvery) {
    await delay(killEvery);
    const victim = running.shift();
    victim?.child.kill('SIGKILL');
    kills += 1;
    running.push(start());
  }
  await delay(Math.max(0, end - performance.now()));
  for (const instance of running) instance.child.kill('SIGTERM');
  await Promise.all(all.map(({ ended }) => ended));

  const claims = await server.exec(database, 'select tick from apikiln_schedule order by tick');
  const claimed = new Set(claims.map(({ tick }) => Date.parse(tick as string)));
  const ended = all.flatMap(({ log }) => log.filter(({ msg }) => msg === 'timed operation ended'));
  const endedTicks = new Set(ended.map(({ tick }) => Date.parse(tick as string)));
  const ticks = (Math.max(...claimed) - Math.min(...claimed)) / 1000 + 1;
  const [row] = await server.exec(database, 'select count(*) as n from run');
  return {
    ticks,
    unclaimed: ticks - claimed.size,
    lostWithHolder: [...claimed].filter((tick) => !endedTicks.has(tick)).length,
    twice: ended.length - endedTicks.size,
    runs: Number(row?.['n']),
    kills,
  };
}
