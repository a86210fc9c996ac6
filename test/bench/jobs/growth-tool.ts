/**
 * How the cost of commands grows with the configuration: deep calls, long conditions, many exceptions, many tables, and a diff of many
 * operations.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Bench } from '../bench.js';
import { manyOperations } from '../configs/many.js';
import { atMost, type Row } from '../row.js';
import { childrenTime } from '../processor-time.js';
import { median } from '../statistics.js';
import { apikiln, runNode } from '../workshop.js';

/** A configuration or schema whose size is varied. */
interface Grown {
  readonly name: string;
  /** The first size measures the fixed cost; the other two are compared. */
  readonly sizes: readonly [number, number, number];
  readonly config: (size: number) => string;
  readonly schema?: (size: number) => string;
}

const grown: readonly Grown[] = [
  { name: 'levels of calls', sizes: [1, 8, 30], config: chain },
  { name: 'comparisons of a condition', sizes: [1, 100, 490], config: condition },
  { name: 'exceptions of a step', sizes: [1, 100, 1000], config: exceptions },
  {
    name: 'tables of a schema, the first time',
    sizes: [1, 1000, 5000],
    config: () => manyOperations(1),
    schema: tables,
  },
];

/** The rows of the command-line tool. */
export async function toolRows(bench: Bench): Promise<Row[]> {
  await bench.workshop.compiler();
  const rows: Row[] = [];
  for (const one of grown) rows.push(await rowOf(bench, one));
  rows.push(diffs(bench));
  return rows;
}

async function rowOf(bench: Bench, { name, sizes, config, schema }: Grown): Promise<Row> {
  const seconds = sizes.map((): number[] => []);
  for (let round = 0; round < (bench.quick ? 1 : 3); round += 1)
    for (const [index, size] of sizes.entries())
      seconds[index]?.push(await check(bench, `grown-${size}`, config(size), schema?.(size)));
  const [base, few, many] = seconds.map(median) as [number, number, number];
  return {
    job: 'growth',
    goal: `Exponent of check: ${name}, ${sizes[1]} to ${sizes[2]} (1 is linear)`,
    target: atMost(1.3),
    figures: [Math.log((many - base) / Math.max(few - base, 0.01)) / Math.log(sizes[2] / sizes[1])],
    parts: sizes.map((size, index) => ({
      name: String(size),
      seen: `${median(seconds[index] ?? []).toFixed(2)} s of processor time`,
    })),
  };
}

/** Seconds of processor time for a check with an empty cache. */
async function check(bench: Bench, name: string, config: string, schema?: string): Promise<number> {
  const path = bench.workshop.writeConfig(name, config);
  if (schema !== undefined) writeFileSync(join(dirname(path), 'schema.sql'), schema);
  const cache = join(dirname(path), 'cache');
  const before = childrenTime(process.pid);
  await runNode([apikiln, 'check', path, '--quiet'], ['env', `XDG_CACHE_HOME=${cache}-${performance.now()}`]);
  return childrenTime(process.pid) - before;
}

/** Runs `diff` without changes. */
function diffs({ workshop, quick }: Bench): Row {
  const old = workshop.writeConfig('diff-old', manyOperations(900));
  const now = workshop.writeConfig(
    'diff-new',
    manyOperations(900).replaceAll('statuscode: 404', 'statuscode: 410'),
  );
  const runs = quick ? 2 : 10;
  const wrong = Array.from({ length: runs }, () =>
    spawnSync(process.execPath, [apikiln, 'diff', old, now], { encoding: 'utf8' }),
  ).filter(({ status, stdout }) => status !== 1 || stdout === '');
  return {
    job: 'growth',
    goal: `diff of 900 operations: runs of ${runs} that end without their result`,
    target: atMost(0),
    figures: [wrong.length],
    parts: [],
  };
}

const datasource = `datasources:
  db: { type: db, url: "jdbc:postgresql://localhost/x" }
`;

/** Operations that call each other and pass on their parameter. */
function chain(levels: number): string {
  const operations = Array.from({ length: levels }, (_, level) => {
    const call = `{ name: next, type: reference, operationName: level ${level + 1}, parameters: { id: PARAM(id) } }`;
    const read = `{ name: next, type: READ, datasource: db, instructions: [{ query: 'SELECT id FROM item WHERE id = :[PARAM(id)]' }] }`;
    const name = level === 0 ? "'GET /items/{id}'" : `'level ${level}'`;
    return `  ${name}:
    fulfillments: [${level === levels - 1 ? read : call}]
    responses: [{ name: ok, default: true, statuscode: 200, schema: { next: 'VALUE(next, $)' } }]
`;
  });
  return `specification: "1.0"\noperations:\n${operations.join('')}${datasource}`;
}

function condition(operators: number): string {
  const parts = Array.from({ length: operators }, (_, index) => `PARAM(id) != TEXT(x${index})`);
  return withExceptions([parts.join(' && ')]);
}

function exceptions(count: number): string {
  return withExceptions(Array.from({ length: count }, (_, index) => `PARAM(id) == TEXT(x${index})`));
}

function withExceptions(conditions: readonly string[]): string {
  const listed = conditions.map((one) => `          - { if: '${one}', statuscode: 400, message: No }\n`);
  return `specification: "1.0"
operations:
  'GET /items/{id}':
    fulfillments:
      - name: item
        type: READ
        datasource: db
        instructions: [{ query: 'SELECT id FROM item WHERE id = :[PARAM(id)]' }]
        exceptions:
${listed.join('')}    responses: [{ name: ok, default: true, statuscode: 200, schema: 'VALUE(item, $)' }]
${datasource}`;
}

/** Tables, each with an index and a reference to the previous table. */
function tables(count: number): string {
  const base =
    'create table news (id int primary key, title text, body text, created timestamptz);\ncreate table comment (id int, news_id int, body text);\n';
  const others = Array.from({ length: count }, (_, index) => {
    const parent = index === 0 ? 'news' : `t${index - 1}`;
    return `create table t${index} (id int generated always as identity primary key, a text, p int references ${parent} (id));\ncreate index on t${index} (a);\n`;
  });
  return base + others.join('');
}
