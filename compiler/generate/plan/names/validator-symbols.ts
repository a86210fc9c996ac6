/** The runtime symbols that `src/api.ts` may use; a symbol that does not exist in the runtime fails to compile here. */
import type * as validators from '../../../../runtime/validate/index.js';

const symbols = [
  ...(['allOf', 'any', 'anyOf', 'array', 'boolean', 'byKind', 'compilePattern', 'compilePatterns'] as const),
  ...(['discriminated', 'enumOf', 'input', 'integer', 'lazy'] as const),
  ...(['not', 'nullable', 'number', 'object', 'oneOf', 'parameter', 'required', 'string'] as const),
] satisfies (keyof typeof validators)[];

export type ValidatorSymbol = (typeof symbols)[number];

/** Names that models and inputs must not shadow. */
export const validatorNames: readonly string[] = symbols;
