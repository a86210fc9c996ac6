/**
 * Random operations, each written in several equivalent ways: both syntaxes, both forms of statements, sequential and concurrent loops,
 * requests in turn and together, both databases, one file and several, steps and calls of other operations. All variants respond the same and make the same changes.
 * VARIANTS=2000 tries more operations; VARIANTS_FROM selects different ones.
 */
import { expect, test } from 'vitest';
import { runs } from '../helpers/runs.js';
import { Random } from '../helpers/random.js';
import type { Notation } from './operation.js';
import { play, type Difference, type Trial } from './play.js';
import { randomCase } from './random-operation.js';
import { shrink } from './shrink.js';
import { write } from './write.js';

const count = Number(process.env['VARIANTS'] ?? runs(30, 1000));
const from = Number(process.env['VARIANTS_FROM'] ?? 1);

/** The number of operations combined into one service. */
const together = 40;

const base: Notation = {
  ...{
    syntax: 'A',
    form: 'query',
    loops: 'sequential',
    requests: 'inTurn',
    database: 'postgresql',
    file: 'config',
    steps: 'inline',
  },
};

/** The plain notation, each other choice alone, and some choices combined. */
function notationsFor(seed: number): Notation[] {
  const random = new Random(seed);
  return [
    base,
    { ...base, syntax: 'B' },
    { ...base, form: 'sql' },
    { ...base, loops: 'concurrent' },
    { ...base, requests: 'together' },
    { ...base, database: 'mariadb' },
    { ...base, file: 'include' },
    { ...base, steps: 'reference' },
    {
      syntax: random.pick(['A', 'B']),
      form: random.pick(['query', 'sql']),
      loops: random.pick(['sequential', 'concurrent']),
      requests: random.pick(['inTurn', 'together']),
      database: random.pick(['postgresql', 'mariadb']),
      file: random.pick(['config', 'include', 'split']),
      steps: random.pick(['inline', 'reference']),
    },
  ];
}

test('variants of one operation respond and change the same', async () => {
  const found: Difference[] = [];
  const sum = { operations: 0, variants: 0, requests: 0 };
  for (let start = from; start < from + count; start += together) {
    const seeds = Array.from({ length: Math.min(together, from + count - start) }, (_, at) => start + at);
    const trials = seeds.map((seed): Trial => ({ one: randomCase(seed), notations: notationsFor(seed) }));
    const played = await play('variants', trials);
    found.push(...played.differences);
    for (const name of ['operations', 'variants', 'requests'] as const) sum[name] += played[name];
  }
  if (process.env['VARIANTS'] !== undefined) console.log(JSON.stringify(sum));
  // Only the first difference is reduced, which takes a minute; the remaining ones are printed unchanged.
  const [first, ...others] = found;
  if (others.length > 0) console.log(others.map(textOf).join('\n\n'));
  const smallest = first && (await shrink(first, (trials) => play('smaller-variants', trials)));
  expect(smallest && `${textOf(smallest)}\n${writtenOf(smallest)}`).toBeUndefined();
  expect(sum.operations).toBeGreaterThan(count / 2);
});

function textOf({ trial: { one }, notations, text }: Difference): string {
  return `seed ${one.seed}: ${notations.map((notation) => JSON.stringify(notation)).join(' and ')}\n${text}`;
}

function writtenOf({ trial: { one }, notations }: Difference): string {
  const texts = notations.map((notation) => {
    const { operations } = write(one.operation, notation, 1);
    return JSON.stringify(Object.fromEntries(operations), null, 1);
  });
  return texts.join('\n');
}
