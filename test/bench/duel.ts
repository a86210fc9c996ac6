/** Several servers under the same load in turn: the basis of all comparisons. */
import { compareBodies } from './compare-bodies.js';
import { runLoad, type Load, type Sample } from './load.js';
import type { Part } from './row.js';
import type { ServerProcess } from './server-process.js';
import { median } from './statistics.js';

/** How long and how often. */
export interface Schedule {
  readonly rounds: number;
  /** Seconds of one run. */
  readonly seconds: number;
  /** Seconds of load before the first round. */
  readonly warmUp: number;
}

/** A participant in a comparison. */
export interface Contender {
  readonly name: string;
  readonly server: ServerProcess;
}

/** All runs of one contender, in the order of the rounds. */
export interface Runs {
  readonly name: string;
  readonly samples: readonly Sample[];
  /** Bytes. */
  readonly peakMemory: number;
}

/** A measurement of that many seconds. */
export type Measure = (seconds: number) => Promise<Sample>;

/**
 * Compares the bodies before and after the load, warms up all contenders, and runs them in turn in each round, with the order reversed
 * every second round, so that none is always first. `others` take turns, too, but are not servers.
 */
export async function duel(
  contenders: readonly Contender[],
  load: Load,
  schedule: Schedule,
  others: readonly Measure[] = [],
): Promise<{ readonly runs: readonly Runs[]; readonly others: readonly (readonly Sample[])[] }> {
  // The last id is one that is not there, where the path has one.
  const paths = [1, 2, load.ids, load.ids + 1].map((id) => load.path.replace('%d', String(id)));
  const named = contenders.map(({ name, server }) => ({ name, url: server.url }));
  await compareBodies(named, paths, load.body);
  const measures: readonly Measure[] = [
    ...contenders.map(
      ({ server }) =>
        (seconds: number) =>
          withProcessorTime(server, seconds, () => runLoad(server.url, load, seconds)),
    ),
    ...others,
  ];
  const samples = await takeTurns(measures, schedule);
  await compareBodies(named, paths, load.body);
  return {
    runs: contenders.map(({ name, server }, index) => ({
      name,
      samples: samples[index] ?? [],
      peakMemory: server.peakMemory(),
    })),
    others: samples.slice(contenders.length),
  };
}

/** The samples of each measure by round. A failure while warming up is one too: it counts for the first round. */
export async function takeTurns(measures: readonly Measure[], schedule: Schedule): Promise<Sample[][]> {
  const earlier: number[] = [];
  for (const measure of measures) earlier.push((await measure(schedule.warmUp)).failures);
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

/** A run of that many seconds, with the processor time of the server. */
export async function withProcessorTime(
  server: ServerProcess,
  seconds: number,
  run: () => Promise<Sample>,
): Promise<Sample> {
  const before = server.processorTime();
  const sample = await run();
  const requests = sample.perSecond * seconds;
  return { ...sample, processor: ((server.processorTime() - before) * 1000) / requests };
}

/** The throughputs of the rounds. */
export function throughputs(samples: readonly Sample[] = []): number[] {
  return samples.map(({ perSecond }) => perSecond);
}

/** A contender in words. */
export function partOf({ name, samples, peakMemory }: Runs): Part {
  const memory = Number.isNaN(peakMemory) ? '' : `, peak ${(peakMemory / 2 ** 20).toFixed(0)} MiB`;
  const part = partOfSamples(name, samples);
  return { ...part, seen: part.seen + memory };
}

/** The figures of a contender whose memory is not measured. */
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
  const milliseconds = median(samples.map((sample) => sample.processor ?? NaN));
  return Number.isNaN(milliseconds) ? '' : `, CPU ${milliseconds.toFixed(milliseconds < 10 ? 3 : 1)} ms/req`;
}
