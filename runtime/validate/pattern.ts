/** Patterns of the API description. The compiler and the service use the same function. */
import { LinearPattern } from './linear-pattern.js';
import { UnsupportedPattern } from './pattern-tree.js';

export interface Pattern {
  /** As it is written. */
  readonly source: string;
  /** Whether it matches somewhere in the text; undefined where that takes too long to tell. */
  test(text: string): boolean | undefined;
  /** Why it cannot be matched in linear time; undefined where it can. Then only texts of `longestSlow` characters are matched. */
  readonly slow?: string;
}

/** Characters of a text that are matched against a pattern which may take a time that grows with the square of the text, or faster. */
export const longestSlow = 64;

/**
 * A pattern as JSON Schema means it, with Unicode; one that only makes sense without (`[\w-.]`, needless backslashes) as it was
 * before Unicode. Throws a SyntaxError for what is no pattern.
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

/** A pattern that is nothing but characters, however many they are: there is only one way to match it. */
const literal = /^(?:[^\\^$.*+?()[\]{}|]|\\[^\p{L}\p{N}\s])*$/u;

function expressionOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
