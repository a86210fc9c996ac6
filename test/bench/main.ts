/** `npm run bench`: measures the performance goals, each as a ratio within one run, and prints a table. See `-- --help`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { Bench, Job } from './bench.js';
import { chooseCores, heldTo, moveTo } from './cores.js';
import { compareRuns, printedComparison } from './compare-runs.js';
import { withGoals } from './goals.js';
import { Databases } from './database.js';
import type { Schedule } from './duel.js';
import { body } from './jobs/body.js';
import { context } from './jobs/context.js';
import { editor } from './jobs/editor.js';
import { growth } from './jobs/growth.js';
import { install } from './jobs/install.js';
import { join } from './jobs/join.js';
import { latency } from './jobs/latency.js';
import { limits } from './jobs/limits.js';
import { list } from './jobs/list.js';
import { login } from './jobs/login.js';
import { loop } from './jobs/loop.js';
import { many } from './jobs/many.js';
import { mysql } from './jobs/mysql.js';
import { mixed } from './jobs/mixed.js';
import { pg } from './jobs/pg.js';
import { rest } from './jobs/rest.js';
import { compile } from './jobs/compile.js';
import { cost } from './jobs/cost.js';
import { dev } from './jobs/dev.js';
import { start } from './jobs/start.js';
import { workers } from './jobs/workers.js';
import { plotOf } from './plot.js';
import { verdictOf, type Row } from './row.js';
import { readRun, saveRun, storedRun } from './stored-run.js';
import { markdownTable, printedRow } from './table.js';
import { Workshop } from './workshop.js';

const jobs: readonly Job[] = [
  cost,
  pg,
  mysql,
  mixed,
  many,
  loop,
  join,
  list,
  limits,
  login,
  rest,
  body,
  latency,
  context,
  start,
  compile,
  dev,
  editor,
  install,
  workers,
  ...growth,
];

const thorough: Schedule = { rounds: 5, seconds: 5, warmUp: 4 };
/** All jobs in about two minutes: shows factors, but not differences of a few per cent, and measures before the code is fully optimized. */
const quick: Schedule = { rounds: 2, seconds: 1, warmUp: 2 };

const help = `npm run bench                   all goals; a quarter of an hour
npm run bench -- --quick        all goals in about two minutes: figures for a first look
npm run bench -- pg latency     these only, of: ${[...new Set(jobs.map(({ name }) => name))].join(' ')}
npm run bench -- --seconds 2    seconds of a run, with all rounds
npm run bench -- --markdown     the table as Markdown on standard output
npm run bench -- --save FILE    keeps the figures of all rounds
npm run bench -- --plot         writes .github/speed.svg and the goals of README.md from the table of test/bench/README.md; measures nothing
npm run bench -- --compare FILE compares with a saved run: goals that got worse or better

The exit status is 1 when a request failed, answers differed, or --compare found something worse; a goal that is missed does not change it.
Servers under test run as in production, with every setting at its default; nothing is written into the repository but dist/.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean' },
    seconds: { type: 'string' },
    markdown: { type: 'boolean' },
    save: { type: 'string' },
    compare: { type: 'string' },
    plot: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
const unknown = positionals.filter((name) => !jobs.some((job) => job.name === name));
if (values.help === true || unknown.length > 0) {
  for (const name of unknown) console.error(`There is no '${name}'.`);
  console.log(help);
  process.exit(unknown.length > 0 ? 2 : 0);
}
if (values.plot === true) {
  const table = readFileSync('test/bench/README.md', 'utf8');
  writeFileSync('.github/speed.svg', plotOf(table));
  writeFileSync('README.md', withGoals(readFileSync('README.md', 'utf8'), table));
  process.exit(0);
}
// Servers and folders are removed by listeners of 'exit', which signals do not emit by default.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const log = (text: string) => {
  console.error(text);
};
// Fail early on an invalid file: the run takes a quarter of an hour.
const before = values.compare === undefined ? undefined : readRun(values.compare);
const cores = chooseCores();
moveTo(cores.others);
const chosen = values.seconds === undefined ? {} : { seconds: Number(values.seconds) };
const isQuick = values.quick === true;
const bench: Bench = {
  ...{
    cores,
    workshop: new Workshop(log, heldTo(cores.all, [])),
    databases: new Databases(log, cores.database),
  },
  ...{ schedule: isQuick ? quick : { ...thorough, ...chosen }, quick: isQuick },
};
const { rounds, seconds } = bench.schedule;
const machine = `Node ${process.versions.node}, ${cpus()[0]?.model.trim() ?? 'unknown processor'}. ${cores.note} Medians of ${rounds} rounds of ${seconds} s each.`;
log(machine);
const rows: Row[] = [];
const finished = new Set<string>();
for (const job of jobs) {
  if (positionals.length > 0 && !positionals.includes(job.name)) continue;
  try {
    const measured = await job.run(bench);
    rows.push(...measured);
    finished.add(job.name);
    for (const row of measured) (values.markdown === true ? log : console.log)(printedRow(row));
  } catch (error) {
    // Continue with the other jobs.
    log(`${job.name.padEnd(9)} FAILED: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
if (values.markdown === true) console.log(`${markdownTable(rows)}\n\n${machine}`);
if (values.save !== undefined) saveRun(values.save, storedRun(machine, rows));
if (before !== undefined) {
  const comparison = compareRuns(before, rows, finished);
  if (before.machine !== machine) log(`The run before was on another machine, or shorter: ${before.machine}`);
  console.log(`\n${printedComparison(comparison)}`);
  if (comparison.changes.some(({ verdict }) => verdict === 'worse')) process.exitCode = 1;
}
if (rows.some((row) => verdictOf(row) === 'invalid')) process.exitCode = 1;
await bench.databases.stop();
