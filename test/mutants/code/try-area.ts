/** Tries the mutants of one area with its tests: first all mutants in one process, then the undecided ones in separate processes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Vitest } from 'vitest/node';
import { repository } from '../../helpers/service-fixture.js';
import { sourcesOf, testsOf, type Area } from './areas.js';
import { equivalents } from './equivalents.js';
import { mutantVitest } from './mutant-vitest.js';
import { placeOf, planVariable, type Finding, type Plan } from './plan.js';
import { sampleOf, type Mutant } from './sample.js';

export interface Options {
  /** The number of mutants to try. */
  readonly count: number;
  readonly seed: number;
  /** Use only a few tests, and skip mutants that need a separate process. */
  readonly isQuick: boolean;
  /** The maximum number of tests in which each mutant is tried. */
  readonly mostTries: number;
  /** Additional milliseconds allowed for a test with a mutant, beyond a multiple of its time without. */
  readonly patience: number;
  /** End of the first process, in milliseconds since 1970; mutants not found by then are not judged. */
  readonly until: number;
  /** Reports progress. */
  readonly say: (line: string) => void;
}

export interface Result {
  readonly area: string;
  /** The number of mutants in the area. */
  readonly total: number;
  readonly found: readonly Mutant[];
  readonly survivors: readonly Mutant[];
  /** Survivors that no test reaches. */
  readonly unmet: readonly Mutant[];
  /** Mutants whose trial was not completed. */
  readonly unjudged: readonly Mutant[];
}

export async function tryArea(area: Area, options: Options): Promise<Result> {
  const { total, mutants: sampled } = sampleOf(sourcesOf(area), options.count, options.seed);
  const mutants = sampled.filter(
    (mutant) => !equivalents.some(({ path, change }) => mutant.path === path && mutant.change === change),
  );
  const folder = mkdtempSync(join(tmpdir(), 'apikiln-code-mutants-'));
  process.env[planVariable] = join(folder, 'plan.json');
  const trial = new Trial(folder, options);
  trial.writePlan();
  const vitest = await mutantVitest(mutants);
  try {
    await tryTogether(vitest, trial, testsOf(area, options.isQuick), mutants, options);
    for (const line of trial.broken) options.say(`fails without mutants: ${line}`);
    options.say(`${area.name}: ${trial.found.size} of ${mutants.length} found in one process`);
    const alone = mutants.filter(({ id }) => trial.filesOfUndecided(id).length > 0);
    for (const { id, description } of options.isQuick ? [] : alone) {
      trial.writePlan(id);
      const isEnded = await runTests(vitest, trial, trial.filesOfUndecided(id));
      trial.readFindings();
      if (isEnded) trial.found.add(id);
      if (!trial.found.has(id)) trial.survived.add(id);
      options.say(`${trial.found.has(id) ? 'found' : 'SURVIVED'} alone: ${description}`);
    }
  } finally {
    await vitest.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const survivors = mutants.filter(({ id }) => trial.isSurvivor(id));
  return {
    area: area.name,
    total,
    found: mutants.filter(({ id }) => trial.found.has(id)),
    survivors,
    unmet: survivors.filter(({ id }) => !trial.met.has(id)),
    unjudged: mutants.filter(({ id }) => !trial.found.has(id) && !trial.isSurvivor(id)),
  };
}

/**
 * Tries all mutants in one process. If a mutant ends the process or gets it stuck, the tests continue in another process without that
 * mutant.
 */
async function tryTogether(
  vitest: Vitest,
  trial: Trial,
  files: readonly string[],
  mutants: readonly Mutant[],
  { until, say }: Options,
): Promise<void> {
  let rest = files;
  while (rest.length > 0) {
    trial.writePlan();
    await runTests(vitest, trial, rest, until);
    trial.readFindings();
    rest = rest.filter((file) => !trial.ended.has(file));
    if (rest.length === 0) return;
    if (Date.now() >= until) {
      trial.isCutOff = true;
      return;
    }
    const { begun } = trial;
    if (begun === undefined) throw new Error(`The tests did not begin: ${rest.join(', ')}`);
    const [mutant] = begun.mutants;
    if (mutant === undefined) {
      trial.broken.push(placeOf(begun));
      rest = rest.filter((file) => file !== begun.file);
    } else {
      trial.found.add(mutant);
      say(`no process survives ${mutants.find(({ id }) => id === mutant)?.description}`);
    }
  }
}

/** Runs the tests in a separate process; returns whether anything outside tests failed, such as the process itself. */
async function runTests(
  vitest: Vitest,
  trial: Trial,
  files: readonly string[],
  until = Infinity,
): Promise<boolean> {
  const project = vitest.getRootProject();
  const specifications = files.map((file) => project.createSpecification(join(repository, file)));
  const watch = setInterval(trial.endStuck, 500, until);
  try {
    const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
    return unhandledErrors.length > 0;
  } finally {
    clearInterval(watch);
  }
}

/** Everything known about each mutant. */
class Trial {
  readonly found = new Set<number>();
  readonly survived = new Set<number>();
  readonly met = new Set<number>();
  readonly broken: string[] = [];
  /** Files that have been run completely. */
  readonly ended = new Set<string>();
  /** The last report of a running test or file. */
  begun: Finding | undefined;
  /** Whether time ran out before all mutants were tried. */
  isCutOff = false;
  readonly #undecided = new Map<number, Set<string>>();
  readonly #findings: string;
  /** The latest content of the findings file, and the time of its last change. */
  #latest = { text: '', since: 0 };

  constructor(
    private readonly folder: string,
    private readonly limits: Pick<Options, 'mostTries' | 'patience'>,
  ) {
    this.#findings = join(folder, 'findings.jsonl');
    writeFileSync(this.#findings, '');
  }

  writePlan(only?: number): void {
    const { broken, found } = this;
    const { mostTries, patience } = this.limits;
    const plan: Plan = {
      ...{ root: repository, mostTries, patience, found: [...found], broken, findings: this.#findings },
      ...(only !== undefined && { only }),
    };
    writeFileSync(join(this.folder, 'plan.json'), JSON.stringify(plan));
  }

  readFindings(): void {
    const lines = readFileSync(this.#findings, 'utf8').split('\n').filter(Boolean);
    writeFileSync(this.#findings, '');
    for (const line of lines) this.#note(JSON.parse(line) as Finding);
  }

  /** Ends the test process if it has not reported anything for too long, or if time has run out. */
  readonly endStuck = (until: number): void => {
    const now = Date.now();
    const text = readFileSync(this.#findings, 'utf8');
    if (text !== this.#latest.text) this.#latest = { text, since: now };
    // The last line may be incomplete.
    const begun = text
      .split('\n')
      .slice(0, -1)
      .findLast((line) => line.includes('"sort":"begun"'));
    if (begun === undefined) return;
    const { process: id, stuckAfter = Infinity } = JSON.parse(begun) as Finding;
    if (id !== undefined && (now >= until || now - this.#latest.since >= stuckAfter)) kill(id);
  };

  #note(finding: Finding): void {
    const { file, test, sort, mutants } = finding;
    if (sort === 'begun') this.begun = finding;
    if (sort === 'ended') this.ended.add(file);
    if (sort === 'begun' || sort === 'ended') return;
    if (sort === 'broken') this.broken.push(placeOf({ file, test }));
    for (const id of mutants) {
      this.met.add(id);
      if (sort === 'found') this.found.add(id);
      // Mutants reached while a file is loaded or prepared do not belong to a test.
      if (sort !== 'undecided' && !(sort === 'met' && test === undefined)) continue;
      this.#undecided.set(id, (this.#undecided.get(id) ?? new Set()).add(file));
    }
  }

  /** Files whose tests may find the undecided mutant if it is active from the start. */
  filesOfUndecided(id: number): string[] {
    return this.found.has(id) ? [] : [...(this.#undecided.get(id) ?? [])];
  }

  isSurvivor(id: number): boolean {
    if (this.found.has(id) || this.isCutOff) return false;
    return this.survived.has(id) || !this.#undecided.has(id);
  }
}

/** Uses SIGKILL, because a stuck process does not handle other signals. */
function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
