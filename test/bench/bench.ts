/** The context of every job: machine, workshop, databases and schedule. */
import { readFileSync } from 'node:fs';
import type { Cores } from './cores.js';
import type { BenchDatabase, Databases } from './database.js';
import type { Contender, Schedule } from './duel.js';
import type { Row } from './row.js';
import { startServer, type ServerProcess } from './server-process.js';
import type { Workshop } from './workshop.js';

/** One run of the benchmark. */
export interface Bench {
  readonly cores: Cores;
  readonly workshop: Workshop;
  readonly databases: Databases;
  readonly schedule: Schedule;
  /** Run all jobs in about two minutes. */
  readonly quick: boolean;
}

/** The measurement of one or more goals, named after its file. */
export interface Job {
  readonly name: string;
  readonly run: (bench: Bench) => Promise<readonly Row[]>;
}

/** Node options used by a service's `npm start` and its image. */
export const nodeOptions = ['--enable-source-maps'];

/** Starts a generated service on the server's core, with default settings. */
export function startService(
  bench: Bench,
  main: string,
  environment: Readonly<Record<string, string>>,
  cores = bench.cores.server,
): Promise<ServerProcess> {
  return startServer({ args: [...nodeOptions, main], environment, cores });
}

/** Starts a hand-written server on the server's core. */
export async function startPeer(
  bench: Bench,
  name: string,
  environment: Readonly<Record<string, string>>,
  cores = bench.cores.server,
): Promise<ServerProcess> {
  return startServer({ args: [await bench.workshop.peer(name)], environment, cores });
}

/** The news service on a database. */
export async function newsService(bench: Bench, database: BenchDatabase): Promise<Contender> {
  const main = await bench.workshop.service('news', bench.workshop.configPath('news.yaml'));
  return {
    name: 'apikiln',
    server: await startService(bench, main, database.forService),
    database: await database.time(),
  };
}

/** The news service on MariaDB. */
export async function mariadbService(bench: Bench, database: BenchDatabase): Promise<Contender> {
  const { workshop } = bench;
  const text = readFileSync(workshop.configPath('news.yaml'), 'utf8');
  const config = workshop.writeConfig('mysql', text.replaceAll('jdbc:postgresql:', 'jdbc:mariadb:'));
  const main = await workshop.service('mysql', config);
  return {
    name: 'apikiln',
    server: await startService(bench, main, database.forService),
    database: await database.time(),
  };
}

/** A hand-written server on a database. */
export async function databasePeer(
  bench: Bench,
  name: string,
  file: string,
  database: BenchDatabase,
): Promise<Contender> {
  return {
    name,
    server: await startPeer(bench, file, database.forPeer),
    database: await database.time(),
  };
}

/** Runs a measurement and stops the servers even if it fails. */
export async function withServers<Result>(
  servers: readonly { readonly server: ServerProcess }[],
  measure: () => Promise<Result>,
): Promise<Result> {
  try {
    return await measure();
  } finally {
    await Promise.all(servers.map(({ server }) => server.stop()));
  }
}
