/** Messages between the process that chooses mutants and those that run tests. */
import { readFileSync } from 'node:fs';

/** The variable with the path of the plan. */
export const planVariable = 'CODE_MUTANTS_PLAN';

export interface Plan {
  /** The repository's folder. */
  readonly root: string;
  /** The mutant that is active from the beginning; undefined: each test tries the mutants that it meets, one after the other. */
  readonly only?: number;
  /** Mutants that need not be tried again. */
  readonly found: readonly number[];
  /** Tests that fail without mutants. */
  readonly broken: readonly string[];
  /** In at most so many tests a mutant is tried. */
  readonly mostTries: number;
  /** The additional milliseconds for a test with a mutant. */
  readonly patience: number;
  /** Where each finding is added as a line. */
  readonly findings: string;
}

export interface Finding {
  /** The test file, from the repository's folder. */
  readonly file: string;
  /** Undefined for what happens outside of tests: loading, preparing. */
  readonly test?: string | undefined;
  readonly sort:
    /** The running test, or file, with a mutant or without. */
    | 'begun'
    /** The file has been run to its end. */
    | 'ended'
    | 'met'
    | 'found'
    /** The test has passed, and the mutated place was run. */
    | 'passed'
    /** The test cannot be run twice, or did not come to the place again: only a run from the beginning can tell. */
    | 'undecided'
    /** The test fails without mutants. */
    | 'broken';
  readonly mutants: readonly number[];
  /** Of what has begun: the process, and after how many milliseconds without a further line it is stuck. */
  readonly process?: number;
  readonly stuckAfter?: number;
}

export function readPlan(): Plan {
  const path = process.env[planVariable];
  if (path === undefined) throw new Error(`${planVariable} is not set.`);
  return JSON.parse(readFileSync(path, 'utf8')) as Plan;
}

/** A test as the plan names it. */
export function placeOf({ file, test }: Pick<Finding, 'file' | 'test'>): string {
  return `${file}: ${test ?? 'its preparation'}`;
}
