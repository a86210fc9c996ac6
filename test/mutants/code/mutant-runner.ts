/**
 * A Vitest runner that tries mutants: each test runs once to see which mutants it reaches, again to check that it can be repeated, and then
 * once for each mutant. If the plan names a single mutant, the runner simply runs the mutated code.
 */
import './switches.js';
import { setMaxListeners } from 'node:events';
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TestRunner, type RunnerTestCase, type RunnerTestFile, type RunnerTestSuite } from 'vitest';
import { getFn } from 'vitest/suite';
import { placeOf, readPlan, type Finding } from './plan.js';

const plan = readPlan();

/** The active mutant, and the mutants reached since `met` was last cleared. */
let active = plan.only;
const met = new Set<number>();
const metOutside = new Set<number>();
let rounds = 0;
let roundsAllowed = Infinity;

globalThis.isMutant = (id) => {
  met.add(id);
  if (active !== undefined) countRound();
  return active === id;
};

globalThis.countRound = () => {
  rounds += 1;
  if (rounds > roundsAllowed) throw new Error('a loop of a mutant does not end');
};

const mostRounds = 5_000_000;
const found = new Set(plan.found);
const tries = new Map<number, number>();

/** Vitest's limit for a test or hook without a mutant is 120 s, and several hooks may run in succession. */
const stuckWithout = 180_000;

type Stage = 'first' | 'again' | 'mutant' | 'after';

/** The test being tried. */
interface Tried {
  readonly file: string;
  readonly name: string;
  stage: Stage;
  /** Loop iterations and milliseconds of the runs without mutants. */
  rounds: number;
  milliseconds: number;
  start: number;
  readonly waiting: number[];
}

export default class MutantRunner extends TestRunner {
  #tried: Tried | undefined;

  override onCollectStart(file: RunnerTestFile): void {
    super.onCollectStart(file);
    begin({ file: fileOf({ file }) }, active, stuckWithout);
  }

  override onAfterRunFiles(files: RunnerTestFile[] = []): void {
    super.onAfterRunFiles();
    for (const file of files) report({ file: fileOf({ file }), sort: 'ended', mutants: [] });
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
    if (plan.only !== undefined && found.has(plan.only)) test.mode = 'skip';
    if (plan.only !== undefined || test.mode !== 'run') return;
    this.#leaveOutside();
    test.repeats = 1_000_000;
    // Vitest adds a listener to the test's signal in each round, and never removes it.
    setMaxListeners(0, test.context.signal);
    const file = fileOf(test);
    const numbers = { rounds: 0, milliseconds: 0, start: 0 };
    this.#tried = { file, name: test.name, stage: 'first', ...numbers, waiting: [] };
  }

  override onBeforeTryTask(test: RunnerTestCase): void {
    super.onBeforeTryTask(test);
    rounds = 0;
    roundsAllowed = mostRounds;
    const tried = this.#tried;
    const place = { file: fileOf(test), test: test.name };
    if (tried === undefined) {
      begin(place, active, stuckWithout);
      return;
    }
    met.clear();
    active = tried.stage === 'mutant' ? tried.waiting[0] : undefined;
    // Code may continue with something that a mutant has started, so a test stuck after the mutant counts as stuck because of it.
    if (tried.stage === 'mutant' || tried.stage === 'after')
      begin(place, tried.waiting[0], 2 * limitOf(tried) + 5_000);
    else begin(place, undefined, stuckWithout);
    roundsAllowed = tried.stage === 'mutant' ? mostRounds + 100 * tried.rounds : Infinity;
    tried.start = performance.now();
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const run = getFn(test);
    const tried = this.#tried;
    if (tried?.stage !== 'mutant') {
      await run();
      return;
    }
    const abort = new AbortController();
    const limit = delay(limitOf(tried), undefined, { signal: abort.signal });
    const tooLong = limit.then(
      () => {
        throw new Error('the mutant takes too long');
      },
      () => undefined,
    );
    try {
      await Promise.race([run(), tooLong]);
    } finally {
      abort.abort();
    }
  }

  onAfterRetryTask(test: RunnerTestCase): void {
    const tried = this.#tried;
    const { result } = test;
    if (tried === undefined || result === undefined) return;
    const isFailed = result.state === 'fail';
    this.#judge(tried, isFailed);
    active = undefined;
    roundsAllowed = Infinity;
    const isOver = tried.waiting.length === 0 && tried.stage !== 'after';
    // A skipped test is not repeated.
    result.state = isOver ? 'skip' : 'run';
    delete result.errors;
    if (!isOver) return;
    this.#tried = undefined;
    met.clear();
  }

  override onAfterRunTask(test: RunnerTestCase): void {
    super.onAfterRunTask(test);
    if (test.result?.state === 'fail') this.#foundAlone(fileOf(test), test.name);
  }

  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onBeforeRunSuite(suite);
    // The file could not be loaded.
    if (suite.result?.state === 'fail') this.#foundAlone(fileOf(suite));
    if (plan.only !== undefined && found.has(plan.only)) suite.mode = 'skip';
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    this.#leaveOutside();
    await super.onAfterRunSuite(suite);
    if (suite.result?.errors !== undefined) this.#foundAlone(fileOf(suite));
    if (!('filepath' in suite) || plan.only !== undefined) return;
    report({ file: fileOf(suite), sort: 'met', mutants: [...metOutside] });
  }

  #foundAlone(file: string, test?: string): void {
    const isBroken = plan.broken.includes(placeOf({ file, test }));
    if (plan.only === undefined) report({ file, test, sort: 'broken', mutants: [] });
    else if (!isBroken && !found.has(plan.only)) {
      found.add(plan.only);
      report({ file, test, sort: 'found', mutants: [plan.only] });
    }
  }

  /** Mutants reached since the last test do not belong to a test. */
  #leaveOutside(): void {
    for (const id of met) metOutside.add(id);
    met.clear();
  }

  #judge(tried: Tried, isFailed: boolean): void {
    const [mutant] = tried.waiting;
    const tell = (sort: Finding['sort'], mutants: readonly number[]): void => {
      if (mutants.length > 0) report({ file: tried.file, test: tried.name, sort, mutants });
    };
    if (tried.stage === 'first') {
      tried.milliseconds = performance.now() - tried.start;
      tried.rounds = rounds;
      if (isFailed) {
        report({ file: tried.file, test: tried.name, sort: 'broken', mutants: [] });
        return;
      }
      tell('met', [...met]);
      tried.waiting.push(...[...met].filter((id) => !found.has(id) && (tries.get(id) ?? 0) < plan.mostTries));
      tried.stage = 'again';
    } else if (tried.stage === 'again') {
      const lost = isFailed ? [...tried.waiting] : tried.waiting.filter((id) => !met.has(id));
      tell('undecided', lost);
      const rest = tried.waiting.filter((id) => !lost.includes(id));
      tried.waiting.splice(0, Infinity, ...rest);
      tried.stage = 'mutant';
    } else if (tried.stage === 'mutant' && mutant !== undefined) {
      tries.set(mutant, (tries.get(mutant) ?? 0) + 1);
      if (isFailed) {
        tried.stage = 'after';
        return;
      }
      tell(met.has(mutant) ? 'passed' : 'undecided', [mutant]);
      tried.waiting.shift();
    } else if (mutant !== undefined) {
      // If the test now fails without the mutant, the earlier failure may not have been caused by the mutant.
      if (isFailed) tell('undecided', tried.waiting);
      else {
        tell('found', [mutant]);
        found.add(mutant);
      }
      tried.waiting.splice(0, isFailed ? Infinity : 1);
      tried.stage = 'mutant';
    }
  }
}

function fileOf({ file }: Pick<RunnerTestCase, 'file'>): string {
  return relative(plan.root, file.filepath);
}

/** The time limit of a test with a mutant, in milliseconds. */
function limitOf({ milliseconds }: Tried): number {
  return plan.patience + 20 * milliseconds;
}

/** A stuck process cannot report what it was doing, so it reports in advance. */
function begin(place: Pick<Finding, 'file' | 'test'>, mutant: number | undefined, stuckAfter: number): void {
  const mutants = mutant === undefined ? [] : [mutant];
  report({ ...place, sort: 'begun', mutants, process: process.pid, stuckAfter });
}

function report(finding: Finding): void {
  appendFileSync(plan.findings, `${JSON.stringify(finding)}\n`);
}
