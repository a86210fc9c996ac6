/** The mutants of one area against its tests: first all of them in one process, then those that it cannot judge in a process each. */
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
  /** How many mutants. */
  readonly count: number;
  readonly seed: number;
  /** With a few tests only; mutants that only a process of their own can judge are left. */
  readonly isQuick: boolean;
  /** In at most so many tests each is tried. */
  readonly mostTries: number;
  /** Says how far it is. */
  readonly say: (line: string) => void;
}

export interface Result {
  readonly area: string;
  /** How many mutants the area has. */
  readonly total: number;
  readonly found: readonly Mutant[];
  readonly survivors: readonly Mutant[];
  /** Of the survivors those that no test meets. */
  readonly unmet: readonly Mutant[];
  /** Those that were not tried to the end. */
  readonly unjudged: readonly Mutant[];
}

export async function tryArea(area: Area, options: Options): Promise<Result> {
  const { total, mutants: sampled } = sampleOf(sourcesOf(area), options.count, options.seed);
  const mutants = sampled.filter(
    (mutant) => !equivalents.some(({ path, change }) => mutant.path === path && mutant.change === change),
  );
  const folder = mkdtempSync(join(tmpdir(), 'apikiln-code-mutants-'));
  process.env[planVariable] = join(folder, 'plan.json');
  const trial = new Trial(folder, options.mostTries);
  trial.writePlan();
  const vitest = await mutantVitest(mutants);
  try {
    await runTests(vitest, testsOf(area, options.isQuick));
    trial.readFindings();
    for (const line of trial.broken) options.say(`fails without mutants: ${line}`);
    options.say(`${area.name}: ${trial.found.size} of ${mutants.length} found in one process`);
    const alone = mutants.filter(({ id }) => trial.filesOfUndecided(id).length > 0);
    for (const { id, description } of options.isQuick ? [] : alone) {
      trial.writePlan(id);
      const isEnded = await runTests(vitest, trial.filesOfUndecided(id));
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

/** Runs the tests in a process of their own; whether anything failed that belongs to no test, such as the process itself. */
async function runTests(vitest: Vitest, files: readonly string[]): Promise<boolean> {
  const project = vitest.getRootProject();
  const specifications = files.map((file) => project.createSpecification(join(repository, file)));
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
  return unhandledErrors.length > 0;
}

/** What is known of each mutant. */
class Trial {
  readonly found = new Set<number>();
  readonly survived = new Set<number>();
  readonly met = new Set<number>();
  readonly broken: string[] = [];
  readonly #undecided = new Map<number, Set<string>>();
  readonly #findings: string;

  constructor(
    private readonly folder: string,
    private readonly mostTries: number,
  ) {
    this.#findings = join(folder, 'findings.jsonl');
    writeFileSync(this.#findings, '');
  }

  writePlan(only?: number): void {
    const { broken, found, mostTries } = this;
    const plan: Plan = {
      ...{ root: repository, mostTries, found: [...found], broken, findings: this.#findings },
      ...(only !== undefined && { only }),
    };
    writeFileSync(join(this.folder, 'plan.json'), JSON.stringify(plan));
  }

  readFindings(): void {
    const lines = readFileSync(this.#findings, 'utf8').split('\n').filter(Boolean);
    writeFileSync(this.#findings, '');
    for (const line of lines) this.#note(JSON.parse(line) as Finding);
  }

  #note({ file, test, sort, mutants }: Finding): void {
    if (sort === 'broken') this.broken.push(placeOf({ file, test }));
    for (const id of mutants) {
      this.met.add(id);
      if (sort === 'found') this.found.add(id);
      // What is met while a file is loaded or prepared is of no test.
      if (sort !== 'undecided' && !(sort === 'met' && test === undefined)) continue;
      this.#undecided.set(id, (this.#undecided.get(id) ?? new Set()).add(file));
    }
  }

  /** The files that may find a mutant that was not found yet, when it is there from the beginning. */
  filesOfUndecided(id: number): string[] {
    return this.found.has(id) ? [] : [...(this.#undecided.get(id) ?? [])];
  }

  isSurvivor(id: number): boolean {
    return !this.found.has(id) && (this.survived.has(id) || !this.#undecided.has(id));
  }
}
