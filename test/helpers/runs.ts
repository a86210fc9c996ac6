/**
 * How many cases a test tries: the usual number, or all of them in `npm run test:full`, which sets MANY_RUNS=1. Files that import this are
 * in the long run.
 */

export const manyRuns = process.env['MANY_RUNS'] !== undefined;

/** The number of random cases. */
export function runs(usual: number, many: number): number {
  return manyRuns ? many : usual;
}

/** The fraction of cases to try if all of them are known. */
export function everyOf(usual: number): number {
  return manyRuns ? 1 : usual;
}

/**
 * Every operand with every other, on both sides, with one operator of each sort in turn; with MANY_RUNS=1, with all operators. `sorts`:
 * operators with similar code.
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
