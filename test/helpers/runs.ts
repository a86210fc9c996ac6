/**
 * The number of cases tried by tests: the usual number, or all of them in `npm run test:full`, which sets MANY_RUNS=1. Files that import
 * this module belong to the long run.
 */

export const manyRuns = process.env['MANY_RUNS'] !== undefined;

/** The number of random cases to try. */
export function runs(usual: number, many: number): number {
  return manyRuns ? many : usual;
}

/** Test only every n-th of all known cases. */
export function everyOf(usual: number): number {
  return manyRuns ? 1 : usual;
}

/**
 * Compares every operand with every other, on both sides. One operator of each sort is chosen in turn; MANY_RUNS=1 tries all operators.
 * `sorts`: groups of operators with similar generated code.
 */
export function comparisons(operands: readonly string[], sorts: readonly (readonly string[])[]): string[] {
  return operands.flatMap((left, row) =>
    operands.flatMap((right, column) => {
      const operators = sorts.flatMap((sort) =>
        sort.filter((_, index) => manyRuns || index === (row + column) % sort.length),
      );
      return operators.map((operator) => `${left} ${operator} ${right}`);
    }),
  );
}
