/** Plans the user functions that expressions call. */
import type { CheckedFunction } from '../../analyze/check/checked.js';
import { describedType } from '../../analyze/types/described-type.js';
import type { ApiSchema } from '../../read/openapi/api-model.js';
import { readValueOf, type ReadValue } from './requests/request-read.js';

export interface FunctionPlan {
  /** The function exported by `src/code/<name>.ts`. */
  readonly name: string;
  /** The schema of each argument, and its type for the function. */
  readonly input: readonly { readonly schema: ApiSchema; readonly value: ReadValue }[];
  readonly returns: ApiSchema;
  /** The type of the result for handlers. */
  readonly result: ReadValue;
}

export function planFunction({ written, input, returns }: CheckedFunction): FunctionPlan {
  return {
    name: written.name.value,
    input: input.map((schema) => ({ schema, value: readValueOf(describedType(schema)) })),
    returns,
    result: readValueOf(describedType(returns)),
  };
}
