/** How many cases a test tries: some in every run of the suite, all of them with MANY_RUNS=1. */

export const manyRuns = process.env['MANY_RUNS'] !== undefined;

/** `npm test`: files of `sampledFiles` try a part of their cases there, and all of the usual ones in `npm run test:long`. */
export const isQuick = process.env['TEST_PART'] === 'quick' && !manyRuns;

/** The number of random cases: `usual` in every run, `many` where somebody asks for them. */
export function runs(usual: number, many: number): number {
  return manyRuns ? many : usual;
}

/**
 * Every operand beside every other, on both sides, with one operator of each sort in turn; with MANY_RUNS=1 with all of them. `sorts`:
 * operators that are emitted alike.
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
