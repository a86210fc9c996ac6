/** Runs several servers under the same load in turn: the basis of all comparisons. */
import type { DatabaseTime } from './database-time.js';
import { compareBodies } from './compare-bodies.js';
import { runLoad, type Load, type Sample } from './load.js';
import type { Part } from './row.js';
import type { ServerProcess } from './server-process.js';
import { median } from './statistics.js';

/** Number and duration of the runs. */
export interface Schedule {
  readonly rounds: number;
  /** Duration of one run, in seconds. */
  readonly seconds: number;
  /** Duration of the load before the first round, in seconds. */
  readonly warmUp: number;
}

/** A participant in a comparison. */
export interface Contender {
  readonly name: string;
  readonly server: ServerProcess;
  /** Measures the database that the server uses. */
  readonly database?: DatabaseTime;
}

/** All runs of one contender, in the order of the rounds. */
export interface Runs {
  readonly name: string;
  readonly samples: readonly Sample[];
  /** In bytes. */
  readonly peakMemory: number;
}

/** A measurement that takes the given number of seconds. */
export type Measure = (seconds: number) => Promise<Sample>;

/**
 * Compares the bodies before and after the load, warms up all contenders, and runs them in turn in each round. The order is reversed every
 * second round, so that no contender is always first. `others` also take turns, but are not servers.
 */
export async function duel(
  contenders: readonly Contender[],
  load: Load,
  schedule: Schedule,
  others: readonly Measure[] = [],
): Promise<Duel> {
  // For paths with an id, the last id does not exist.
  const paths = [1, 2, load.ids, load.ids + 1].map((id) => load.path.replace('%d', String(id)));
  const named = contenders.map(({ name, server }) => ({ name, url: server.url }));
  await compareBodies(named, paths, load.body);
  const result = await duelOfDifferent(contenders, load, schedule, others);
  await compareBodies(named, paths, load.body);
  return result;
}

/** Both lists have an entry for each contender and each other measure, in their order. */
export interface Duel {
  readonly runs: readonly Runs[];
  readonly others: readonly (readonly Sample[])[];
}

/** The same for servers with different responses. */
export async function duelOfDifferent(
  contenders: readonly Contender[],
  load: Load,
  schedule: Schedule,
  others: readonly Measure[] = [],
): Promise<Duel> {
  const measures: readonly Measure[] = [
    ...contenders.map(
      (contender) => (seconds: number) =>
        withProcessorTime(contender, () => runLoad(contender.server.url, load, seconds)),
    ),
    ...others,
  ];
  const samples = await takeTurns(measures, schedule);
  return {
    runs: contenders.map(({ name, server }, index) => ({
      name,
      samples: samples[index] ?? [],
      peakMemory: server.peakMemory(),
    })),
    others: samples.slice(contenders.length),
  };
}

/** The samples of each measure, by round. A failure during the warm-up counts for the first round. */
export async function takeTurns(measures: readonly Measure[], schedule: Schedule): Promise<Sample[][]> {
  const earlier: number[] = [];
  for (const measure of measures) earlier.push(await warmUp(measure, schedule.warmUp));
  const samples = measures.map((): Sample[] => []);
  for (let round = 0; round < schedule.rounds; round++) {
    const order = [...measures.entries()];
    for (const [index, measure] of round % 2 === 0 ? order : order.reverse()) {
      const sample = await measure(schedule.seconds);
      const failures = sample.failures + (round === 0 ? (earlier[index] ?? 0) : 0);
      samples[index]?.push({ ...sample, failures });
    }
  }
  return samples;
}

/** How often the warm-up is repeated on a busy machine, where a server gets too little processor time for its code to be optimized. */
const warmUps = 3;

/** Returns the number of failed requests. */
async function warmUp(measure: Measure, seconds: number): Promise<number> {
  let failures = 0;
  let used = 0;
  for (let time = 0; time < warmUps && used < 0.75 * seconds * 1000; time++) {
    const sample = await measure(seconds);
    failures += sample.failures;
    used += (sample.processor ?? Infinity) * sample.requests;
  }
  return failures;
}

/** A run with the processor time of the server and of its database. */
export async function withProcessorTime(
  { server, database }: Pick<Contender, 'server' | 'database'>,
  run: () => Promise<Sample>,
): Promise<Sample> {
  const before = server.processorTime();
  database?.();
  const sample = await run();
  const own = (server.processorTime() - before) * 1000;
  const spent = database?.();
  const { requests } = sample;
  return {
    ...sample,
    processor: own / requests,
    ...(spent === undefined ? {} : { database: spent / requests }),
  };
}

/** Processor time of server and database for each request of each round, in milliseconds. */
export function costs(samples: readonly Sample[] = []): number[] {
  return samples.map(({ processor = NaN, database = 0 }) => processor + database);
}

/** The throughput of each round. */
export function throughputs(samples: readonly Sample[] = []): number[] {
  return samples.map(({ perSecond }) => perSecond);
}

/** The figures of a contender as text. */
export function partOf({ name, samples, peakMemory }: Runs): Part {
  const memory = Number.isNaN(peakMemory) ? '' : `, peak ${(peakMemory / 2 ** 20).toFixed(0)} MiB`;
  const part = partOfSamples(name, samples);
  return { ...part, seen: part.seen + memory };
}

/** The figures of a contender without measured memory. */
export function partOfSamples(name: string, samples: readonly Sample[] = []): Part {
  const middle = (pick: (sample: Sample) => number) => median(samples.map(pick));
  const latency = (which: 'p50' | 'p99') => {
    const value = middle((sample) => sample[which]);
    return Number.isNaN(value) ? '' : `, ${which} ${value.toFixed(2)} ms`;
  };
  const perSecond = middle((sample) => sample.perSecond);
  return {
    name,
    seen: `${perSecond.toFixed(perSecond < 100 ? 1 : 0)} req/s${latency('p50')}${latency('p99')}${processor(samples)}`,
    failures: samples.reduce((sum, { failures }) => sum + failures, 0),
  };
}

function processor(samples: readonly Sample[]): string {
  const own = median(samples.map((sample) => sample.processor ?? NaN));
  if (Number.isNaN(own)) return '';
  const database = median(samples.map((sample) => sample.database ?? NaN));
  const digits = own < 10 ? 3 : 1;
  const beside = Number.isNaN(database) ? '' : ` + ${database.toFixed(digits)} of the database`;
  return `, CPU ${own.toFixed(digits)}${beside} ms/req`;
}
