/**
 * A service under a small steady load for any duration, whose database connections are cut from time to time: shows growing resource use.
 */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { AttachedServer } from '../helpers/database-server.js';
import { startProxy } from '../helpers/proxy.js';
import { RunningService } from '../helpers/running-service.js';
import type { DatabaseKind } from '../helpers/service-fixture.js';
import { prepare } from './services.js';
import { Clients, contradictions, type SteadyLoad } from './steady-load.js';

const clients = 8;

export interface SoakSettings {
  readonly seconds: number;
  /** Requests per second. */
  readonly rate: number;
  /** Seconds between two cuts of all connections, and between two samples, each of which is taken just before a cut. */
  readonly interval: number;
}

/** Resources held by the service and its server at one time. */
export interface Sample {
  readonly minutes: number;
  /** Memory of the service in MiB; the heap is measured after garbage collection. */
  readonly resident: number;
  readonly heap: number;
  readonly descriptors: number;
  /** Sessions of this database on the server, and prepared statements in all sessions; NaN if the server does not report them. */
  readonly sessions: number;
  readonly prepared: number;
}

export interface Soak {
  readonly samples: readonly Sample[];
  readonly load: SteadyLoad;
  /** Rows that differ from the responses. */
  readonly contradictions: readonly string[];
}

/** `tell` is called with each sample. */
export async function soak(
  kind: DatabaseKind,
  folder: string,
  server: AttachedServer,
  { seconds, rate, interval }: SoakSettings,
  tell: (sample: Sample) => void,
): Promise<Soak> {
  const database = 'soak';
  const proxy = await startProxy(server.port);
  const variables = await prepare(server, kind, database);
  const service = await RunningService.start(folder, {
    ...variables,
    DATASOURCE_MAIN_URL: (variables['DATASOURCE_MAIN_URL'] ?? '').replace(/:\d+/, `:${proxy.port}`),
    NODE_OPTIONS: `--import=${fileURLToPath(new URL('report-heap.mjs', import.meta.url))}`,
  });
  const since = performance.now();
  const samples: Sample[] = [];
  const load = Clients.start([service.url], clients, true, (1000 * 2 * clients) / rate);
  const leaving = new AbortController();
  const leaver = leave(service.url, leaving.signal);
  while (performance.now() - since < seconds * 1000) {
    await delay(Math.min(interval, seconds) * 1000);
    const minutes = (performance.now() - since) / 60_000;
    const sample = { minutes, ...(await held(service)), ...(await opened[kind](server, database)) };
    samples.push(sample);
    tell(sample);
    proxy.reset();
  }
  leaving.abort();
  await leaver;
  const done = await load.stop();
  const rows = await server.exec(database, 'select tag, amount from entry');
  await service.stop();
  await proxy.close();
  return { samples, load: done, contradictions: contradictions(done, rows) };
}

/** A client that repeatedly requests something slow and disconnects. */
async function leave(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await fetch(`${url}/slow/leaver`, { signal: AbortSignal.timeout(100) }).catch(() => undefined);
    await delay(1000);
  }
}

async function held(service: RunningService): Promise<Pick<Sample, 'resident' | 'heap' | 'descriptors'>> {
  const { length } = service.printed;
  process.kill(service.pid, 'SIGUSR2');
  let heap: string | undefined;
  while (heap === undefined) {
    await delay(20);
    heap = /^heap (\d+)$/m.exec(service.printed.slice(length))?.[1];
  }
  const status = await readFile(`/proc/${service.pid}/status`, 'utf8');
  return {
    resident: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024,
    heap: Number(heap) / 1024 / 1024,
    descriptors: (await readdir(`/proc/${service.pid}/fd`)).length,
  };
}

type Opened = Pick<Sample, 'sessions' | 'prepared'>;

const opened: Record<DatabaseKind, (server: AttachedServer, database: string) => Promise<Opened>> = {
  postgresql: async (server, database) => {
    const [row] = await server.exec(
      database,
      `select count(*)::int as n from pg_stat_activity where datname = '${database}' and pid <> pg_backend_pid()`,
    );
    return { sessions: Number(row?.['n']), prepared: NaN };
  },
  mariadb: async (server, database) => {
    const [row] = await server.exec(
      database,
      `select (select count(*) from information_schema.processlist where db = '${database}' and id <> connection_id()) as n,
        (select variable_value from information_schema.global_status where variable_name = 'Prepared_stmt_count') as prepared`,
    );
    return { sessions: Number(row?.['n']), prepared: Number(row?.['prepared']) };
  },
};

/** The growth of a measure per minute, robust against outliers: the median of the slopes between all pairs of samples. */
export function slope(samples: readonly Sample[], measure: Exclude<keyof Sample, 'minutes'>): number {
  const slopes = samples
    .flatMap((one, index) =>
      samples
        .slice(index + 1)
        .map((other) => (other[measure] - one[measure]) / (other.minutes - one.minutes)),
    )
    .sort((one, other) => one - other);
  return slopes[Math.floor(slopes.length / 2)] ?? NaN;
}
