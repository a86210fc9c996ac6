/** The symbols of the runtime that `src/api.ts` may use: one that does not exist there does not compile here. */
import type * as validators from '../../../../runtime/validate/index.js';

const symbols = [
  ...(['allOf', 'any', 'anyOf', 'array', 'boolean', 'byKind', 'compilePattern', 'compilePatterns'] as const),
  ...(['discriminated', 'enumOf', 'input', 'integer', 'lazy'] as const),
  ...(['not', 'nullable', 'number', 'object', 'oneOf', 'parameter', 'required', 'string'] as const),
] satisfies (keyof typeof validators)[];

export type ValidatorSymbol = (typeof symbols)[number];

/** The names that models and inputs must not hide. */
export const validatorNames: readonly string[] = symbols;
