/** The precedence of PostgreSQL's operators, if it decides which of two a placeholder between them belongs to. */

const tight = new Map([
  ['^', 4],
  ['*', 3],
  ['/', 3],
  ['%', 3],
  ['+', 2],
  ['-', 2],
]);
const comparisons = new Set(['=', '<', '>', '<=', '>=', '<>', '!=']);

/** True for `a` and `b` in `x a :[…] b y` where the server calculates `:[…] b y` first; operators of one rank go from left to right. */
export function bindsBefore(right: string, left: string): boolean {
  return right !== '' && rankOf(right) > rankOf(left);
}

/** `->`, `||` and all others are between arithmetic and comparisons. */
function rankOf(operator: string): number {
  return tight.get(operator) ?? (comparisons.has(operator) ? 0 : 1);
}
