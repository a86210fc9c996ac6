/**
 * `apikiln build` in a separate process: 10, 1,000 and 10,000 operations, with and without a schema; whether the cost per operation stays
 * the same, and memory. Then the TypeScript build of services, as users run it.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Bench, Job } from '../bench.js';
import { manyOperations, schemaOfMany } from '../configs/many.js';
import { heldTo } from '../cores.js';
import { atMost, type Row } from '../row.js';
import { median, ratios } from '../statistics.js';
import { linkRuntime } from '../../tasks/link-runtime.mjs';
import { apikiln, runNode, typescript } from '../workshop.js';

export const compile: Job = { name: 'compile', run };

/** Later operations may cost as much as the first ones; 15% is left for noise. */
const flat = 1.15;

async function run(bench: Bench): Promise<Row[]> {
  await bench.workshop.compiler();
  // A quick run measures growth only up to 1,000 operations.
  const counts = bench.quick ? [10, 250, 1000] : [10, 1000, 10_000];
  const [few = 0, some = 0, max = 0] = counts;
  const builds = new Map(counts.map((count): [number, ColdBuild[]] => [count, []]));
  const withSchema = new Map([some, max].map((count): [number, ColdBuild[]] => [count, []]));
  const typeChecked = new Map(
    [300, bench.quick ? 1000 : 3000].map((count): [number, number[]] => [count, []]),
  );
  for (let round = 0; round < (bench.quick ? 1 : 3); round++) {
    for (const [count, done] of builds) done.push(await coldBuild(bench, count));
    for (const [count, done] of withSchema) done.push(await coldBuild(bench, count, schemaOfMany));
    for (const [count, done] of typeChecked) done.push(await typeCheck(bench, count));
  }
  const of = (count: number) => (builds.get(count) ?? []).map(({ seconds }) => seconds);
  const perOperation = (from: number, to: number) =>
    of(to).map((longer, round) => (longer - (of(from)[round] ?? NaN)) / (to - from));
  const row = (count: number, goal: number): Row => ({
    job: 'compile',
    goal: `Compile ${count} operations, from cold`,
    ...{ target: atMost(goal, 's'), figures: of(count), parts: [] },
  });
  return [
    row(10, 0.6),
    row(1000, 3),
    {
      job: 'compile',
      goal: `Cost of an operation from ${some} to ${max}, against that up to ${some} (1 is flat)`,
      target: atMost(flat),
      figures: ratios(perOperation(some, max), perOperation(few, some)),
      parts: counts.map((count) => ({
        name: `${count} operations`,
        seen: `${median(of(count)).toFixed(2)} s`,
      })),
    },
    {
      job: 'compile',
      goal: `Peak resident memory with ${max} operations`,
      target: atMost(1500, 'MiB'),
      figures: (builds.get(max) ?? []).map(({ memory }) => memory / 2 ** 20),
      parts: [],
    },
    {
      job: 'compile',
      goal: `Compile ${some} operations with a schema, from cold`,
      target: atMost(3, 's'),
      figures: (withSchema.get(some) ?? []).map(({ seconds }) => seconds),
      parts: [],
    },
    {
      job: 'compile',
      goal: `Peak resident memory with ${max} operations and a schema`,
      target: atMost(1500, 'MiB'),
      figures: (withSchema.get(max) ?? []).map(({ memory }) => memory / 2 ** 20),
      parts: [],
    },
    exponentOf(typeChecked),
  ];
}

/** The growth of the service's own TypeScript build: the exponent of the number of operations. */
function exponentOf(typeChecked: ReadonlyMap<number, readonly number[]>): Row {
  const [[few, short], [many, long]] = [...typeChecked] as [[number, number[]], [number, number[]]];
  return {
    job: 'compile',
    goal: `Exponent of the service's own build from ${few} to ${many} operations (1 is linear)`,
    target: atMost(flat),
    figures: ratios(long, short).map((ratio) => Math.log(ratio) / Math.log(many / few)),
    parts: [...typeChecked].map(([count, seconds]) => ({
      name: `${count} operations`,
      seen: `${median(seconds).toFixed(2)} s`,
    })),
  };
}

/** Seconds of `npm run build` in the folder of a service. */
async function typeCheck({ workshop, cores }: Bench, count: number): Promise<number> {
  const config = workshop.writeConfig(`type-check-${count}`, manyOperations(count));
  const out = mkdtempSync(join(workshop.folder, 'type-checked-'));
  await runNode([apikiln, 'build', config, '--out', out, '--quiet']);
  linkRuntime(out);
  const begin = performance.now();
  await runNode([typescript, '--project', out], heldTo(cores.all, []));
  return (performance.now() - begin) / 1000;
}

interface ColdBuild {
  readonly seconds: number;
  /** Peak resident memory, in bytes. */
  readonly memory: number;
}

/** A build into an empty folder by a new process; the system may have its files in the page cache. */
async function coldBuild({ workshop, cores }: Bench, count: number, schema?: string): Promise<ColdBuild> {
  const name = `compile-${count}${schema === undefined ? '' : '-with-schema'}`;
  const config = workshop.writeConfig(name, manyOperations(count));
  if (schema !== undefined) writeFileSync(join(dirname(config), 'schema.sql'), schema);
  const out = mkdtempSync(join(workshop.folder, 'compiled-'));
  const begin = performance.now();
  const memory = await runNode([apikiln, 'build', config, '--out', out, '--quiet'], heldTo(cores.all, []));
  return { seconds: (performance.now() - begin) / 1000, memory };
}
