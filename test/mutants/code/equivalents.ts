/** Mutants that behave like the original code, each with the reason. */

interface Equivalent {
  readonly path: string;
  /** The mutant's description without the line. */
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
