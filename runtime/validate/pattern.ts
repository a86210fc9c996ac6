/** Patterns of the API description: the same function when it is read and when a service starts. */

/**
 * A pattern as JSON Schema means it, with Unicode; one that only makes sense without (`[\w-.]`, needless backslashes) as it was
 * before Unicode. Throws a SyntaxError for what is no pattern.
 */
export function compilePattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
