/** A log-in with a password and a session, compared with the same by hand on `crypto.scrypt`. */
import { databasePeer, startService, withServers, type Bench, type Job } from '../bench.js';
import { duel, partOf, throughputs } from '../duel.js';
import { atLeast, type Row } from '../row.js';
import { ratios } from '../statistics.js';

export const login: Job = { name: 'login', run };

/** Few connections: a hash takes a tenth of a second, and at most 16 of one address can wait. */
const load = {
  ...{ path: '/accounts/%d/session', ids: 100, connections: 2 },
  body: '{"password":"correct horse battery"}',
};

async function run(bench: Bench): Promise<Row[]> {
  const database = await bench.databases.postgres();
  const main = await bench.workshop.service('login', bench.workshop.configPath('login.yaml'));
  const contenders = [
    {
      name: 'apikiln',
      server: await startService(bench, main, database.forService),
      database: await database.time(),
    },
    await databasePeer(bench, 'Express + crypto.scrypt', 'express-login', database),
  ];
  // Shorter rounds would have few log-ins.
  const schedule = { ...bench.schedule, seconds: Math.max(4, bench.schedule.seconds) };
  const { runs } = await withServers(contenders, () => duel(contenders, load, schedule));
  return [
    {
      job: 'login',
      goal: 'A log-in with a hash of scrypt and a session, throughput against Express + crypto.scrypt',
      target: atLeast(0.95),
      figures: ratios(throughputs(runs[0]?.samples), throughputs(runs[1]?.samples)),
      parts: runs.map(partOf),
    },
  ];
}
