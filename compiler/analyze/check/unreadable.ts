/** Expressions that read a fulfillment which they cannot read, for the rules about why. */
import type { AnalyzedOperation } from '../operations/analyzed-operation.js';
import type { Fulfillment } from '../../read/config/config-model.js';
import type { Scope } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import type { Span } from '../../read/source.js';

interface Named {
  readonly name: string;
  /** Where the name is. */
  readonly span: Span;
}

export type Unreadable =
  | (Named & { readonly why: 'unknown' | 'own result' })
  /** The span where it runs, and the fulfillment that reads it; undefined for a response, and for an exception of the operation (`isBeforeAll`). */
  | (Named & {
      readonly why: 'not yet run';
      readonly runs: Span;
      readonly reader: string | undefined;
      readonly isBeforeAll: boolean;
    })
  /** It runs in that loop, and the expression is outside of it. */
  | (Named & { readonly why: 'outside loop'; readonly loop: string });

/** Undefined for readable names, and for strings that are not names. */
export function unreadable(
  node: Expression,
  analyzed: AnalyzedOperation,
  scope: Scope,
): Unreadable | undefined {
  if (!('nameSpan' in node)) return undefined;
  const { name, nameSpan: span } = node;
  const loops = analyzed.loopsByName;
  // An unreadable name has been reported; an unreadable part of the file may contain the name that is meant.
  if (name === '' || scope.visible.has(name) || (loops.has('') && !loops.has(name))) return undefined;
  if (!loops.has(name)) return { why: 'unknown', name, span };
  const isBeforeAll = scope.isBeforeAll === true;
  if (node.kind === 'value-by-index' && !isBeforeAll) return undefined;
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
