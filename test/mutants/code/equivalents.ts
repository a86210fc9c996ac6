/** Mutants that do the same as the code, each with the reason. */

interface Equivalent {
  readonly path: string;
  /** As a mutant is described, without its line. */
  readonly change: string;
  readonly because: string;
}

export const equivalents: readonly Equivalent[] = [
  {
    path: 'runtime/sql/retries.ts',
    change:
      'performance.now() + milliseconds >= this.call.deadline → (performance.now() + milliseconds) > (this.call.deadline)',
    because: 'no pause ends in the very instant of the deadline',
  },
  {
    path: 'runtime/mysql/parameter.ts',
    change: 'number > 0n → (number) >= (0n)',
    because: 'zero has been bound as a signed number',
  },
];
