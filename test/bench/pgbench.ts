/** The upper bound: pgbench, PostgreSQL's C client, runs the news service's two statements in place of a server. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AttachedServer } from '../helpers/database-server.js';
import { programPaths } from '../helpers/install.js';
import type { Bench } from './bench.js';
import { heldTo } from './cores.js';
import { databaseName } from './database.js';
import type { Measure } from './duel.js';

const requirement = {
  programs: ['pgbench'],
  debianPackage: 'postgresql-contrib',
  missing:
    'The benchmark needs pgbench, which comes with PostgreSQL: install it so that it is in PATH, e.g. `apt-get install postgresql-contrib`.',
};

const script = `\\set id random(1, 10000)
SELECT id, title, body, created FROM news WHERE id = :id;
SELECT id, body FROM comment WHERE news_id = :id;
`;

/** Runs pgbench with `connections` connections, each running one pair of statements at a time. */
export function pgbench(bench: Bench, server: AttachedServer, connections: number): Measure {
  const file = join(bench.workshop.folder, 'pgbench.sql');
  writeFileSync(file, script);
  const { host, port, user, password } = server;
  return async (seconds) => {
    const [program = '', ...args] = heldTo(bench.cores.server, [
      programPaths(requirement).get('pgbench') ?? '',
      ...['-n', '-M', 'prepared', '-f', file, '-c', String(connections), '-j', '1', '-T', String(seconds)],
      ...['-h', host, '-p', String(port), '-U', user, databaseName],
    ]);
    const { stdout } = await promisify(execFile)(program, args, {
      env: { PATH: process.env['PATH'], PGPASSWORD: password, LANG: 'C' },
    });
    const figure = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1]);
    const latency = figure(/^latency average = ([\d.]+) ms/m);
    return {
      perSecond: figure(/^tps = ([\d.]+)/m),
      requests: figure(/^number of transactions actually processed: (\d+)/m),
      // pgbench prints the average without logging each transaction.
      p50: latency,
      p99: NaN,
      failures: figure(/^number of failed transactions: (\d+)/m) || 0,
    };
  };
}
