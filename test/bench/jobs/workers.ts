/**
 * Two worker processes compared with one: on two free cores if database and generator can have two more; otherwise services get half of the
 * machine.
 */
import { startService, withServers, type Bench, type Job } from '../bench.js';
import { compareBodies } from '../compare-bodies.js';
import { moveTo } from '../cores.js';
import { Databases } from '../database.js';
import { duel, partOf, takeTurns, throughputs, type Contender, type Runs } from '../duel.js';
import { runLoad, type Sample } from '../load.js';
import { atLeast, type Row } from '../row.js';
import { ratios } from '../statistics.js';
import { newsLoad } from './pg.js';

export const workers: Job = { name: 'workers', run };

const needed = 4;

async function run(bench: Bench): Promise<Row[]> {
  const { cores } = bench;
  if (cores.others === undefined) {
    const reason = 'Not measurable here: two cores are needed.';
    return [{ ...common, goal: onCores, figures: [], parts: [], reason }];
  }
  try {
    return [cores.list.length >= needed ? await onFreeCores(bench) : await onHalves(bench)];
  } finally {
    moveTo(cores.others);
  }
}

const onCores = 'Two worker processes on two free cores, throughput against one process';
const onMachine =
  'Two worker processes with database and generator on two cores, throughput against one process with its own on one core';

const common = { job: 'workers', target: atLeast(1.8) };

/** Other jobs run the database and the generator on the same core; here they have two. */
async function onFreeCores(bench: Bench): Promise<Row> {
  const { list } = bench.cores;
  moveTo(list.slice(2, needed).join(','));
  const databases = new Databases(() => undefined);
  try {
    const { forService } = await databases.postgres();
    const main = await bench.workshop.service('news', bench.workshop.configPath('news.yaml'));
    const own = list.slice(0, 2).join(',');
    const contenders = [
      { name: 'two workers', server: await startService(bench, main, { ...forService, WORKERS: '2' }, own) },
      { name: 'one process', server: await startService(bench, main, forService, own) },
    ];
    const { runs } = await withServers(contenders, () => duel(contenders, load, bench.schedule));
    return rowOf(onCores, runs);
  } finally {
    await databases.stop();
  }
}

/** The whole machine with two workers, compared with half of it with one process: service, database and generator share the cores. */
async function onHalves(bench: Bench): Promise<Row> {
  const { list, all = '' } = bench.cores;
  const main = await bench.workshop.service('news', bench.workshop.configPath('news.yaml'));
  const sides = [
    {
      name: 'two workers',
      cores: all,
      settings: { WORKERS: '2' },
      databases: new Databases(() => undefined),
    },
    { name: 'one process', cores: String(list[0]), settings: {}, databases: new Databases(() => undefined) },
  ];
  const contenders: Contender[] = [];
  try {
    for (const { name, cores, settings, databases } of sides) {
      moveTo(cores);
      const { forService } = await databases.postgres();
      contenders.push({
        name,
        server: await startService(bench, main, { ...forService, ...settings }, cores),
      });
    }
    await compareBodies(
      contenders.map(({ name, server }) => ({ name, url: server.url })),
      ['/news/1', '/news/10000', '/news/10001'],
    );
    const samples = await takeTurns(
      sides.map(({ cores }, index) => (seconds) => {
        moveTo(cores);
        return runLoad(contenders[index]?.server.url ?? '', load, seconds);
      }),
      bench.schedule,
    );
    const runs = contenders.map(({ name }, index) => ({
      name,
      samples: samples[index] ?? [],
      peakMemory: NaN,
    }));
    return rowOf(onMachine, runs);
  } finally {
    await Promise.all(contenders.map(({ server }) => server.stop()));
    await Promise.all(sides.map(({ databases }) => databases.stop()));
  }
}

const load = { ...newsLoad, connections: 64 };

function rowOf(goal: string, runs: readonly Runs[]): Row {
  const figures = ratios(throughputs(runs[0]?.samples), throughputs(runs[1]?.samples));
  const parts = runs.map(({ name, samples }) => partOf(ofAll(name, samples)));
  return { ...common, goal, figures, parts };
}

/** Removes memory and processor time, which were measured for one process only. */
function ofAll(name: string, samples: readonly Sample[]): Runs {
  return { name, samples: samples.map((sample) => ({ ...sample, processor: NaN })), peakMemory: NaN };
}
