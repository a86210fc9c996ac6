/**
 * How many cases a test tries: a part of the usual ones in `npm test`, the usual ones in `npm run test:long` and when a file is run by its
 * path, and all of them in `npm run test:full`, which sets MANY_RUNS=1.
 */

export const manyRuns = process.env['MANY_RUNS'] !== undefined;

/** `npm test`. What is expected is written of all cases. */
export const isQuick =
  process.env['TEST_PART'] === 'quick' && !manyRuns && process.env['UPDATE_FIXTURES'] !== '1';

/** The number of random cases. */
export function runs(usual: number, many: number): number {
  return manyRuns ? many : isQuick ? Math.ceil(usual / 4) : usual;
}

/** One of so many cases is tried, where all of them are known. */
export function everyOf(usual: number): number {
  return manyRuns ? 1 : isQuick ? 3 * usual : usual;
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
