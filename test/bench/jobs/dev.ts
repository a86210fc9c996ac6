/** A rebuild in a running `apikiln dev` after one of 1,000 operations changed. */
import { join } from 'node:path';
import type { Bench, Job } from '../bench.js';
import { manyOperations } from '../configs/many.js';
import { heldTo } from '../cores.js';
import { atMost, type Row } from '../row.js';
import { apikiln, runNode } from '../workshop.js';

export const dev: Job = { name: 'dev', run };

/** There is no `apikiln dev` yet: then this tells what there is instead, which is a build from cold. */
async function run(bench: Bench): Promise<Row[]> {
  const instead = bench.quick ? '' : `; from cold it takes ${(await coldRebuild(bench)).toFixed(2)} s`;
  return [
    {
      job: 'dev',
      goal: 'Rebuild after one operation changed, in a running dev with 1,000 operations',
      target: atMost(0.5, 's'),
      ...{ figures: [], parts: [] },
      reason: `Not measured: there is no command that stays running and builds again${instead}.`,
    },
  ];
}

/** Seconds of a second build into the same folder, of which one module changes. */
async function coldRebuild({ workshop, cores }: Bench): Promise<number> {
  await workshop.compiler();
  const out = join(workshop.folder, 'rebuilt');
  const build = () => runNode([apikiln, 'build', config, '--out', out, '--quiet'], heldTo(cores.all, []));
  const config = workshop.writeConfig('dev', manyOperations(1000));
  await build();
  workshop.writeConfig('dev', manyOperations(1000, 'There is no such news'));
  const begin = performance.now();
  await build();
  return (performance.now() - begin) / 1000;
}
