/** `apikiln build` in a process of its own: 10 and 1,000 operations, and whether an operation costs the same among 2,000. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Job } from '../bench.js';
import { manyOperations } from '../configs/many.js';
import { heldTo } from '../cores.js';
import { atMost, type Row } from '../row.js';
import { median } from '../statistics.js';
import { apikiln, runNode } from '../workshop.js';

export const compile: Job = { name: 'compile', run };

/** The second thousand of operations may cost as much as the first; a sixth more is left to noise. */
const flat = 1.15;

async function run(bench: Bench): Promise<Row[]> {
  await bench.workshop.compiler();
  const few: number[] = [];
  const many: number[] = [];
  const twice: number[] = [];
  for (let round = 0; round < (bench.quick ? 1 : 3); round++) {
    few.push(await coldBuild(bench, 10));
    many.push(await coldBuild(bench, 1000));
    twice.push(await coldBuild(bench, 2000));
  }
  const seen = (name: string, seconds: readonly number[]) => ({
    ...{ name, seen: `${median(seconds).toFixed(2)} s`, failures: 0 },
  });
  const row = (count: number, goal: number, figures: readonly number[]): Row => ({
    job: 'compile',
    goal: `Compile ${count} operations, from cold`,
    ...{ target: atMost(goal, 's'), figures, parts: [] },
  });
  return [
    row(10, 1.5, few),
    row(1000, 6, many),
    {
      job: 'compile',
      goal: 'Cost of an operation in the second thousand, against the first (1 is flat)',
      target: atMost(flat),
      figures: twice.map(
        (seconds, round) =>
          (seconds - (many[round] ?? NaN)) / 1000 / (((many[round] ?? NaN) - (few[round] ?? NaN)) / 990),
      ),
      parts: [seen('10', few), seen('1,000', many), seen('2,000', twice)],
    },
  ];
}

/** Seconds of a build into an empty folder. Cold means the process: the system may have the files in its cache. */
export async function coldBuild({ workshop, cores }: Bench, count: number): Promise<number> {
  const config = workshop.writeConfig(`compile-${count}`, manyOperations(count));
  const out = mkdtempSync(join(workshop.folder, 'compiled-'));
  const begin = performance.now();
  await runNode([apikiln, 'build', config, '--out', out, '--quiet'], heldTo(cores.all, []));
  return (performance.now() - begin) / 1000;
}
