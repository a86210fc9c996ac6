/** Two worker processes on two cores, against one process: only where two more cores are there for database and generator. */
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
  const row = {
    job: 'workers',
    goal: 'Two worker processes on two free cores, throughput against one process',
    target: atLeast(1.8),
  };
  if (cores.list.length < needed || cores.others === undefined) {
    const reason = `Not measurable here: ${needed} cores are needed, and there ${cores.list.length === 1 ? 'is one' : `are ${cores.list.length}`}.`;
    return [{ ...row, figures: [], parts: [], reason }];
  }
  // The database of the other jobs shares a core with the generator: here both have one more.
  moveTo(cores.list.slice(2, needed).join(','));
  const databases = new Databases(() => undefined);
  try {
    const { forService } = await databases.postgres();
    const main = await bench.workshop.service('news', bench.workshop.configPath('news.yaml'));
    const both = cores.list.slice(0, 2).join(',');
    const contenders = [
      { name: 'two workers', server: await startService(bench, main, { ...forService, WORKERS: '2' }, both) },
      { name: 'one process', server: await startService(bench, main, forService, both) },
    ];
    const load = { ...newsLoad, connections: 64 };
    const { runs } = await withServers(contenders, () => duel(contenders, load, bench.pace));
    const figures = ratios(throughputs(runs[0]?.samples), throughputs(runs[1]?.samples));
    return [{ ...row, figures, parts: runs.map(({ name, samples }) => partOf(ofAll(name, samples))) }];
  } finally {
    await databases.stop();
    moveTo(cores.others);
  }
}

/** Memory and processor time are those of one process, which say nothing of several. */
function ofAll(name: string, samples: readonly Sample[]): Runs {
  return { name, samples: samples.map((sample) => ({ ...sample, processor: NaN })), peakMemory: NaN };
}
