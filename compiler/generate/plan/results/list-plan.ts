/** The plan of a paged list whose order is chosen by the request. */
import type { OrderColumn } from '../../../../runtime/lists/ordered-sql.js';
import type { DataFulfillment, LoopFulfillment, Operation } from '../../../read/config/config-model.js';
import type { Expression } from '../../../read/expression/ast.js';
import { sourceOf } from '../statements/sources.js';

/** How a statement is read as a list. */
export interface ListPlan {
  readonly orders: readonly { readonly name: string; readonly columns: readonly OrderColumn[] }[];
  readonly default: string;
  /** Max rows per page; undefined for a list without pages. */
  readonly max: number | undefined;
  /** List parameters passed by calls, with their sources in the request. */
  readonly asked: readonly AskedPlan[];
}

export interface AskedPlan {
  readonly field: 'by' | 'limit' | 'after';
  readonly value: Expression;
  readonly source: string | undefined;
}

/** Undefined if the fulfillment has no order. */
export function planList(
  { order, page }: DataFulfillment,
  orders: ListPlan['orders'],
  operation: Operation,
  loop: LoopFulfillment | undefined,
): ListPlan | undefined {
  if (order === undefined) return undefined;
  const fields = [
    ['by', order.by],
    ['limit', page?.limit],
    ['after', page?.after],
  ] as const;
  return {
    orders,
    default: order.default?.value ?? '',
    max: page?.max,
    asked: fields.flatMap(([field, value]): AskedPlan[] =>
      value === undefined ? [] : [{ field, value, source: sourceOf(value, operation, loop)?.name }],
    ),
  };
}
