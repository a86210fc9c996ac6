/** Messages between the process that chooses mutants and the processes that run tests. */
import { readFileSync } from 'node:fs';

/** The environment variable with the path of the plan. */
export const planVariable = 'CODE_MUTANTS_PLAN';

export interface Plan {
  /** The repository's folder. */
  readonly root: string;
  /** The mutant that is always active; if undefined, each test tries the mutants that it reaches one by one. */
  readonly only?: number;
  /** Mutants that need not be tried again. */
  readonly found: readonly number[];
  /** Tests that fail without mutants. */
  readonly broken: readonly string[];
  /** The maximum number of tests in which a mutant is tried. */
  readonly mostTries: number;
  /** Additional milliseconds allowed for a test with a mutant. */
  readonly patience: number;
  /** The file to which each finding is appended as a line. */
  readonly findings: string;
}

export interface Finding {
  /** The test file, relative to the repository. */
  readonly file: string;
  /** Undefined outside tests: loading and hooks. */
  readonly test?: string | undefined;
  readonly sort:
    /** The test or file that starts running, with or without a mutant. */
    | 'begun'
    /** The file has been run completely. */
    | 'ended'
    | 'met'
    | 'found'
    /** The test has passed, and the mutated code was executed. */
    | 'passed'
    /** The test cannot be run twice, or did not reach the code again: only a separate run can decide. */
    | 'undecided'
    /** The test fails without mutants. */
    | 'broken';
  readonly mutants: readonly number[];
  /** For `begun`: the process, and the time in milliseconds after which it is stuck unless another line follows. */
  readonly process?: number;
  readonly stuckAfter?: number;
}

export function readPlan(): Plan {
  const path = process.env[planVariable];
  if (path === undefined) throw new Error(`${planVariable} is not set.`);
  return JSON.parse(readFileSync(path, 'utf8')) as Plan;
}

/** The name of a test in the plan. */
export function placeOf({ file, test }: Pick<Finding, 'file' | 'test'>): string {
  return `${file}: ${test ?? 'its preparation'}`;
}
