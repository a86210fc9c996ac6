/** Compiles patterns of the API description. Shared by the compiler and the service. */
import { LinearPattern } from './linear-pattern.js';
import { UnsupportedPattern } from './pattern-tree.js';
import type { Pattern, PatternProperties, Schema } from './schema.js';

/** Maximum characters of a string for a pattern that may take quadratic time or more. */
export const longestSlow = 64;

/**
 * Compiles a JSON Schema pattern with the flag `u`, or without the flag if the pattern would be invalid with it (`[\w-.]`, unnecessary
 * backslashes). Throws a SyntaxError for an invalid pattern.
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

/** Compiles patterns for property names. */
export function compilePatterns(schemas: Readonly<Record<string, Schema>>): PatternProperties {
  return Object.entries(schemas).map(([pattern, schema]) => ({ pattern: compilePattern(pattern), schema }));
}

/** A pattern of constant characters, which can match in one way only. */
const literal = /^(?:[^\\^$.*+?()[\]{}|]|\\[^\p{L}\p{N}\s])*$/u;

function expressionOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
