/** The sources of a statement's values, so that clients learn which value is invalid. */
import type { LoopFulfillment, Operation } from '../../../read/config/config-model.js';
import { loopAround, loopNamed } from '../../../read/config/walk.js';
import type { Expression } from '../../../read/expression/ast.js';
import { printSteps } from '../../../read/expression/parse/path.js';
import type { Path } from '../../../read/expression/ast.js';

/** The part of the request that a value comes from. */
export interface Source {
  /** The name in messages: `param.id`, `body`, `body.lines[].price`, `caller.tenant`. */
  readonly name: string;
  /** The parameter that the value is, or is part of. */
  readonly parameter?: string;
  readonly isOfBody?: true;
  readonly isOfCaller?: true;
}

/** Undefined for values that are not from the request. `loop` is the innermost loop around the expression. */
export function sourceOf(
  expression: Expression,
  operation: Operation,
  loop: LoopFulfillment | undefined,
): Source | undefined {
  switch (expression.kind) {
    case 'param':
      return { name: `param.${expression.name}`, parameter: expression.name };
    case 'sent':
      return { name: `${expression.place}.${expression.name}` };
    case 'query-map':
      return { name: 'query' };
    case 'body':
      return { name: `body${printed(expression.path)}`, isOfBody: true };
    case 'caller':
      return { name: `caller${printed(expression.path)}`, isOfCaller: true };
    case 'element':
      return elementOf(loop, operation, expression.path);
    case 'value':
      return elementOf(loopNamed(expression.name, operation, loop), operation, expression.path);
    case 'coalesce':
      return onlySource(expression.parts.map((part) => sourceOf(part, operation, loop)));
    default:
      return undefined;
  }
}

/** The source of a value in the loop's current element. */
function elementOf(loop: LoopFulfillment | undefined, operation: Operation, path: Path): Source | undefined {
  if (loop?.loop === undefined) return undefined;
  const list = sourceOf(loop.loop, operation, loopAround(loop, operation));
  // Parameters are identified by name only.
  return list?.isOfBody === true ? { ...list, name: `${list.name}[]${printed(path)}` } : list;
}

/** Prints a path with `[]` for any element. */
function printed(path: Path): string {
  return printSteps(path).replaceAll('[*]', '[]');
}

/** The source of the only non-constant value. */
function onlySource(sources: readonly (Source | undefined)[]): Source | undefined {
  const known = sources.filter((source) => source !== undefined);
  return known.length === 1 ? known[0] : undefined;
}
