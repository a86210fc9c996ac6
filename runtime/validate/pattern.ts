/** Patterns of the API description. The compiler and the service use the same function. */
import { LinearPattern } from './linear-pattern.js';
import { UnsupportedPattern } from './pattern-tree.js';
import type { Pattern, PatternProperties, Schema } from './schema.js';

/** Maximum characters of a string for a pattern that may need quadratic time or more. */
export const longestSlow = 64;

/**
 * Compiles a pattern of JSON Schema, with the flag `u`; without it if the pattern is only valid without (`[\w-.]`, needless backslashes).
 * Throws a SyntaxError for an invalid pattern.
 */
export function compilePattern(pattern: string): Pattern {
  const expression = expressionOf(pattern);
  try {
    const linear = new LinearPattern(pattern, expression.unicode);
    return { source: pattern, test: (text) => linear.test(text) };
  } catch (error) {
    if (!(error instanceof UnsupportedPattern)) throw error;
    if (literal.test(pattern)) return { source: pattern, test: (text) => expression.test(text) };
    return {
      source: pattern,
      slow: error.message,
      test: (text) => (text.length > longestSlow ? undefined : expression.test(text)),
    };
  }
}

/** Compiles the patterns of the names of properties. */
export function compilePatterns(schemas: Readonly<Record<string, Schema>>): PatternProperties {
  return Object.entries(schemas).map(([pattern, schema]) => ({ pattern: compilePattern(pattern), schema }));
}

/** A pattern of constant characters: there is only one way to match it. */
const literal = /^(?:[^\\^$.*+?()[\]{}|]|\\[^\p{L}\p{N}\s])*$/u;

function expressionOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
