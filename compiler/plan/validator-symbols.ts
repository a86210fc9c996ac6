/** The symbols of the runtime that `src/api.ts` may use: one that does not exist there does not compile here. */
import type * as validators from '../../runtime/validate/index.js';

const symbols = [
  ...(['allOf', 'anyOf', 'anything', 'boolean', 'byKind', 'input', 'integer', 'later', 'list'] as const),
  ...(['not', 'nullable', 'number', 'object', 'oneOf', 'parameter', 'required', 'text', 'values'] as const),
] satisfies (keyof typeof validators)[];

export type ValidatorSymbol = (typeof symbols)[number];

/** The names that models and inputs must not hide. */
export const validatorNames: readonly string[] = symbols;
