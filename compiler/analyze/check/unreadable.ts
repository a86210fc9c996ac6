/** Finds expressions that name a fulfillment which is not readable at their position, and the reason. */
import type { AnalyzedOperation } from '../operations/analyzed-operation.js';
import type { Fulfillment } from '../../read/config/config-model.js';
import type { Scope } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import type { Span } from '../../read/source.js';

interface Named {
  readonly name: string;
  /** The span of the name. */
  readonly span: Span;
}

export type Unreadable =
  | (Named & { readonly why: 'unknown' | 'own result' })
  /**
   * `runs` is the span of the fulfillment that is read, `reader` the fulfillment that reads it; undefined for a response, and for an
   * exception of the operation (`isBeforeAll`).
   */
  | (Named & {
      readonly why: 'not yet run';
      readonly runs: Span;
      readonly reader: string | undefined;
      readonly isBeforeAll: boolean;
    })
  /** The fulfillment runs in that loop, but the expression is outside of it. */
  | (Named & { readonly why: 'outside loop'; readonly loop: string });

/**
 * The reason why an expression cannot read the fulfillment that it names; undefined for readable names, and for expressions without a name.
 */
export function unreadable(
  node: Expression,
  analyzed: AnalyzedOperation,
  scope: Scope,
): Unreadable | undefined {
  if (!('nameSpan' in node)) return undefined;
  const { name, nameSpan: span } = node;
  const loops = analyzed.loopsByName;
  // An unreadable name has been reported; an unreadable fulfillment may have the name.
  if (name === '' || scope.visible.has(name) || (loops.has('') && !loops.has(name))) return undefined;
  if (!loops.has(name)) return { why: 'unknown', name, span };
  const isBeforeAll = scope.isBeforeAll === true;
  if ('index' in node && !isBeforeAll) return undefined;
  // Of several with that name the one in a loop around.
  const isAround = (one: Fulfillment | undefined): boolean =>
    one === undefined || scope.loops.get(one.name.value) === one;
  const near = analyzed.fulfillments.find(
    ({ fulfillment, loop }) => fulfillment.name.value === name && (isBeforeAll || isAround(loop)),
  );
  const loop = loops.get(name);
  if (near === undefined) return loop && { why: 'outside loop', name, span, loop: loop.name.value };
  if (name === scope.running) return { why: 'own result', name, span };
  const runs = near.fulfillment.name.span;
  return { why: 'not yet run', name, span, runs, reader: scope.running, isBeforeAll };
}
