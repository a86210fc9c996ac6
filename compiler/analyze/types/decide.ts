/** Decides by trying representative values whether a condition can be true and can be false, given other known conditions. */
import { equal, isTrue } from '../../../runtime/compare/compare.js';
import type { Json } from '../../../runtime/handler/json.js';
import { candidates, type Comparisons } from './candidates.js';
import { compare, not, type Constant, type Formula } from './formula.js';
import { either } from './join-types.js';
import type { ValueType } from './value-type.js';

/**
 * `never`: false for all values; `always`: true for all values; `unreachable`: the known facts contradict each other; `open`: can be true
 * or false; `unknown`: too many combinations to try.
 */
export type Verdict = 'never' | 'always' | 'unreachable' | 'open' | 'unknown';

/** Maximum number of combinations to try before the result is `unknown`. */
const limit = 20_000;

/** Maximum number of comparisons with constants in a condition and its related facts. */
const testLimit = 60;

/** The verdict for the formula, assuming that the known formulas are true. */
export function decide(formula: Formula, known: readonly Formula[]): Verdict {
  const problem = problemOf(formula, known);
  const holds = problem?.isPossible(formula);
  const fails = problem?.isPossible(not(formula));
  if (holds === undefined || fails === undefined) return 'unknown';
  if (holds) return fails ? 'open' : 'always';
  return fails ? 'never' : 'unreachable';
}

/**
 * Whether the known formulas restrict the test's subject to constants with which they compare it. TypeScript then narrows its type to these
 * constants and rejects a comparison with another one. Also true if this cannot be determined.
 */
export function isPinned(test: Extract<Formula, { kind: 'test' }>, known: readonly Formula[]): boolean {
  const problem = problemOf(test, known);
  const { key } = test.subject;
  const domain = problem?.domains.get(key);
  if (problem === undefined || domain === undefined) return true;
  const constants = problem.known
    .flatMap(testsIn)
    .filter(({ subject, operator }) => subject.key === key && (operator === '==' || operator === '!='))
    .map(({ constant }) => constant);
  return domain.every(
    (value) =>
      constants.some((constant) => equal(value, constant)) ||
      problem.with(key, value).isPossible({ kind: 'known', holds: true }) === false,
  );
}

/** The formulas that share subjects with this one, directly or indirectly; undefined if there are too many. */
function problemOf(formula: Formula, known: readonly Formula[]): Problem | undefined {
  const related: Formula[] = [];
  let tests = testsIn(formula).length;
  if (tests > testLimit) return undefined;
  const keys = new Set(keysIn(formula));
  let others = known;
  for (;;) {
    const [more, rest] = [[] as Formula[], [] as Formula[]];
    for (const other of others) {
      const isRelated = keysIn(other).some((key) => keys.has(key));
      (isRelated ? more : rest).push(other);
      if (isRelated) tests += testsIn(other).length;
      if (tests > testLimit) return undefined;
    }
    if (more.length === 0) break;
    related.push(...more);
    for (const key of more.flatMap(keysIn)) keys.add(key);
    others = rest;
  }
  const domains = new Map<string, Json[]>();
  for (const key of keys) {
    const domain = domainOf(key, [formula, ...related]);
    if (domain === undefined) return undefined;
    domains.set(key, domain);
  }
  return new Problem(related, domains);
}

class Problem {
  constructor(
    readonly known: readonly Formula[],
    readonly domains: ReadonlyMap<string, readonly Json[]>,
  ) {}

  with(key: string, value: Json): Problem {
    return new Problem(this.known, new Map([...this.domains, [key, [value]]]));
  }

  /** Whether the formula can be true together with the known facts; undefined if there are too many combinations. */
  isPossible(formula: Formula): boolean | undefined {
    const formulas = [formula, ...this.known].flatMap(conjuncts);
    const values = new Map<string, Json>();
    let left = limit;
    const search = (keys: readonly string[]): boolean | undefined => {
      const results = formulas.map((one) => evaluate(one, values));
      if (results.includes(false)) return false;
      const [key, ...rest] = keys;
      if (key === undefined || results.every((result) => result === true)) return true;
      let isSure = true;
      for (const value of this.domains.get(key) ?? []) {
        left -= 1;
        if (left < 0) return undefined;
        values.set(key, value);
        const found = search(rest);
        if (found === true) return true;
        isSure &&= found === false;
      }
      values.delete(key);
      return isSure ? false : undefined;
    };
    return search([...this.domains.keys()]);
  }
}

function conjuncts(formula: Formula): readonly Formula[] {
  return formula.kind === 'and' ? formula.of.flatMap(conjuncts) : [formula];
}

/** The result of the formula; undefined if it depends on values that are not chosen yet. */
function evaluate(formula: Formula, values: ReadonlyMap<string, Json>): boolean | undefined {
  switch (formula.kind) {
    case 'known':
      return formula.holds;
    case 'test': {
      const value = values.get(formula.subject.key);
      return value === undefined ? undefined : compare[formula.operator](value, formula.constant);
    }
    case 'self': {
      const value = values.get(formula.subject.key);
      return value === undefined ? undefined : compare[formula.operator](value, value);
    }
    case 'bare': {
      const value = values.get(formula.subject.key);
      return value === undefined ? undefined : isTrue(value);
    }
    case 'open': {
      const value = values.get(formula.key);
      return value === undefined ? undefined : value === true;
    }
    case 'not': {
      const result = evaluate(formula.of, values);
      return result === undefined ? undefined : !result;
    }
    case 'and':
    case 'or': {
      const deciding = formula.kind === 'or';
      const results = formula.of.map((part) => evaluate(part, values));
      if (results.includes(deciding)) return deciding;
      return results.includes(undefined) ? undefined : !deciding;
    }
  }
}

/** All values to try for a subject; true and false if unrestricted. */
function domainOf(key: string, formulas: readonly Formula[]): Json[] | undefined {
  const types: ValueType[] = [];
  const constants = new Set<Constant>();
  let isOrderedByString = false;
  for (const leaf of formulas.flatMap(leavesOf)) {
    if (leaf.kind === 'known' || leaf.kind === 'open' || leaf.subject.key !== key) continue;
    types.push(leaf.subject.type);
    if (leaf.kind !== 'test') continue;
    constants.add(leaf.constant);
    isOrderedByString ||=
      typeof leaf.constant === 'string' && leaf.operator !== '==' && leaf.operator !== '!=';
  }
  const [first, ...others] = types;
  if (first === undefined) return [true, false];
  const comparisons: Comparisons = { constants, isOrderedByString };
  return candidates(others.reduce(either, first), comparisons);
}

type Leaf = Extract<Formula, { kind: 'known' | 'test' | 'self' | 'bare' | 'open' }>;

/** The leaves of a formula, its comparisons with constants, and the keys of its subjects. */
interface Parts {
  readonly leaves: readonly Leaf[];
  readonly tests: readonly Extract<Formula, { kind: 'test' }>[];
  readonly keys: readonly string[];
}

const partsOf = new WeakMap<Formula, Parts>();

/** The parts of a formula, cached because they are needed again for every later condition. */
function partsIn(formula: Formula): Parts {
  const known = partsOf.get(formula);
  if (known !== undefined) return known;
  const leaves: Leaf[] = [];
  addLeaves(formula, leaves);
  const keys = new Set<string>();
  for (const leaf of leaves)
    if (leaf.kind !== 'known') keys.add(leaf.kind === 'open' ? leaf.key : leaf.subject.key);
  const parts: Parts = {
    leaves,
    tests: leaves.filter((leaf) => leaf.kind === 'test'),
    keys: [...keys],
  };
  partsOf.set(formula, parts);
  return parts;
}

/** Appends to a single list: a long condition is a deep tree, and lists for each level would be copied repeatedly. */
function addLeaves(formula: Formula, leaves: Leaf[]): void {
  switch (formula.kind) {
    case 'not':
      addLeaves(formula.of, leaves);
      return;
    case 'and':
    case 'or':
      for (const part of formula.of) addLeaves(part, leaves);
      return;
    case 'known':
    case 'test':
    case 'self':
    case 'bare':
    case 'open':
      leaves.push(formula);
  }
}

function leavesOf(formula: Formula): readonly Leaf[] {
  return partsIn(formula).leaves;
}

/** The formula's comparisons of a value with a constant. */
export function testsIn(formula: Formula): Parts['tests'] {
  return partsIn(formula).tests;
}

/** The keys of the subjects that the formula compares with constants. */
export function keysOfConstants(formula: Formula): string[] {
  return testsIn(formula)
    .filter(({ operator }) => operator === '==' || operator === '!=')
    .map(({ subject }) => subject.key);
}

function keysIn(formula: Formula): readonly string[] {
  return partsIn(formula).keys;
}
