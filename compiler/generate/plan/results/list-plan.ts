/** The plan of a list whose order a request chooses, and that is read in pages. */
import type { OrderColumn } from '../../../../runtime/lists/ordered-sql.js';
import type { DataFulfillment, LoopFulfillment, Operation } from '../../../read/config/config-model.js';
import type { Expression } from '../../../read/expression/ast.js';
import { sourceOf } from '../statements/sources.js';

/** How a statement is read as a list. */
export interface ListPlan {
  readonly orders: readonly { readonly name: string; readonly columns: readonly OrderColumn[] }[];
  readonly default: string;
  /** Rows of a page at most; undefined for a list that is read as a whole. */
  readonly max: number | undefined;
  /** The parameters that calls pass, with their sources in the request. */
  readonly asked: readonly AskedPlan[];
}

export interface AskedPlan {
  readonly field: 'by' | 'limit' | 'after';
  readonly value: Expression;
  readonly source: string | undefined;
}

/** Undefined for a fulfillment without an order. */
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
