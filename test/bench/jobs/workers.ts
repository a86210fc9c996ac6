/** Two worker processes on two cores, against one process, where two more cores are there for database and generator; else on one. */
import { startService, withServers, type Bench, type Job } from '../bench.js';
import { moveTo } from '../cores.js';
import { Databases } from '../database.js';
import { duel, partOf, throughputs, type Runs } from '../duel.js';
import type { Sample } from '../load.js';
import { atLeast, type Row } from '../row.js';
import { ratios } from '../statistics.js';
import { newsLoad } from './pg.js';

export const workers: Job = { name: 'workers', run };

const needed = 4;

async function run(bench: Bench): Promise<Row[]> {
  const { cores } = bench;
  if (cores.others === undefined) {
    const reason = 'Not measurable here: a core for the service and one for the database are needed.';
    return [{ ...goalOn(1), figures: [], parts: [], reason }];
  }
  const isWide = cores.list.length >= needed;
  const count = isWide ? 2 : 1;
  // The database of the other jobs shares a core with the generator: where there are more, both have one more.
  if (isWide) moveTo(cores.list.slice(2, needed).join(','));
  const databases = new Databases(() => undefined);
  try {
    const { forService } = await databases.postgres();
    const main = await bench.workshop.service('news', bench.workshop.configPath('news.yaml'));
    const own = cores.list.slice(0, count).join(',');
    const contenders = [
      { name: 'two workers', server: await startService(bench, main, { ...forService, WORKERS: '2' }, own) },
      { name: 'one process', server: await startService(bench, main, forService, own) },
    ];
    const load = { ...newsLoad, connections: 64 };
    const { runs } = await withServers(contenders, () => duel(contenders, load, bench.pace));
    const figures = ratios(throughputs(runs[0]?.samples), throughputs(runs[1]?.samples));
    const parts = runs.map(({ name, samples }) => partOf(ofAll(name, samples)));
    return [{ ...goalOn(count), figures, parts }];
  } finally {
    await databases.stop();
    moveTo(cores.others);
  }
}

/** Two processes that get as much done on one core as one does lose nothing on two: half of the goal is asked of each. */
function goalOn(count: 1 | 2): Pick<Row, 'job' | 'goal' | 'target'> {
  const on = count === 2 ? 'two free cores' : 'one core (on two: twice that)';
  const goal = `Two worker processes on ${on}, throughput against one process`;
  return { job: 'workers', goal, target: atLeast(count * 0.9) };
}

/** Memory and processor time are those of one process, which say nothing of several. */
function ofAll(name: string, samples: readonly Sample[]): Runs {
  return { name, samples: samples.map((sample) => ({ ...sample, processor: NaN })), peakMemory: NaN };
}
