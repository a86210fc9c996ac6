/** The sources of the values of a statement, so that a client learns which one is invalid (decisions 11.1). */
import type { LoopFulfillment, Operation } from '../../read/config/config-model.js';
import { loopAround, loopNamed } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import { printSteps } from '../../read/expression/parse/path.js';
import type { Path } from '../../read/expression/ast.js';

/**
 * `param.id`, `body`, `body.lines[].price`, `caller.tenant`; undefined for what is not of the request. `loop` is the innermost around the
 * expression.
 */
export function sourceOf(
  expression: Expression,
  operation: Operation,
  loop: LoopFulfillment | undefined,
): string | undefined {
  switch (expression.kind) {
    case 'param':
      return `param.${expression.name}`;
    case 'sent':
      return `${expression.place}.${expression.name}`;
    case 'body':
      return `body${printed(expression.path)}`;
    case 'caller':
      return `caller${printed(expression.path)}`;
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

/** A value in the element that the loop is at. */
function elementOf(loop: LoopFulfillment | undefined, operation: Operation, path: Path): string | undefined {
  if (loop?.loop === undefined) return undefined;
  const list = sourceOf(loop.loop, operation, loopAround(loop, operation));
  // A parameter is identified by its name alone.
  return list?.startsWith('body') === true ? `${list}[]${printed(path)}` : list;
}

/** `[]` for any element. */
function printed(path: Path): string {
  return printSteps(path).replaceAll('[*]', '[]');
}

/** The source of the only value that is not a constant. */
function onlySource(sources: readonly (string | undefined)[]): string | undefined {
  const known = sources.filter((source) => source !== undefined);
  return known.length === 1 ? known[0] : undefined;
}
