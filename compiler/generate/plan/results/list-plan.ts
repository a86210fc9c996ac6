/** The plan of a paged list whose order is chosen by the request. */
import type { FilterColumn } from '../../../../runtime/lists/filter-types.js';
import type { OrderColumn } from '../../../../runtime/lists/ordered-sql.js';
import type {
  DataFulfillment,
  ListPage,
  LoopFulfillment,
  Operation,
} from '../../../read/config/config-model.js';
import type { Expression, Paging } from '../../../read/expression/ast.js';
import { sourceOf } from '../statements/sources.js';

/** How a statement is read as a list. */
export interface ListPlan {
  readonly orders: readonly { readonly name: string; readonly columns: readonly OrderColumn[] }[];
  readonly default: string;
  /** Max rows per page; undefined for a list without pages. */
  readonly max: number | undefined;
  /** Undefined for a list that is only read by cursors of next pages. */
  readonly numbered: NumberedPlan | undefined;
  /** Undefined for a list without a filter. */
  readonly filter: FilterPlan | undefined;
  /** List parameters passed by calls, with their sources in the request. */
  readonly asked: readonly AskedPlan[];
}

/** Page numbers and offsets, and what is read about a page. */
export interface NumberedPlan {
  /** The maximum number of rows before a page; undefined without page numbers and offsets. */
  readonly maxOffset: number | undefined;
  readonly isClamped: boolean;
  /** Whether cursors of previous pages are read. */
  readonly isPreviousRead: boolean;
  /** The maximum number of rows that are counted; undefined if they are not counted. */
  readonly maxTotal: number | undefined;
  /** The query parameters that the URLs of pages omit; undefined if no URLs are read. */
  readonly links: readonly string[] | undefined;
}

/** The conditions that requests can choose. */
export interface FilterPlan {
  readonly allow: readonly (FilterColumn & { readonly name: string })[];
  /** Other names in the same part of the request that the operation reads. */
  readonly others: readonly string[];
  /** The user function that returns the conditions as a tree; undefined if the request contains them. */
  readonly function: string | undefined;
}

export interface AskedPlan {
  readonly field: 'by' | 'limit' | 'after' | 'number' | 'offset' | 'filter';
  readonly value: Expression;
  readonly source: string | undefined;
}

/** Undefined if the fulfillment has no order. */
export function planList(
  { order, page, filter }: DataFulfillment,
  orders: ListPlan['orders'],
  filters: FilterPlan | undefined,
  operation: Operation,
  loop: LoopFulfillment | undefined,
  paging: readonly Paging[] = [],
  secretParameters: readonly string[] = [],
): ListPlan | undefined {
  if (order === undefined) return undefined;
  const fields = [
    ['by', order.by],
    ['limit', page?.limit],
    ['after', page?.after],
    ['number', page?.number],
    ['offset', page?.offset],
    ['filter', filter?.from],
  ] as const;
  return {
    orders,
    default: order.default?.value ?? '',
    max: page?.max,
    numbered: page && planNumbered(page, paging, secretParameters),
    filter: filters,
    asked: fields.flatMap(([field, value]): AskedPlan[] =>
      value === undefined ? [] : [{ field, value, source: sourceOf(value, operation, loop)?.name }],
    ),
  };
}

function planNumbered(
  page: ListPage,
  paging: readonly Paging[],
  secretParameters: readonly string[],
): NumberedPlan | undefined {
  const isNumbered = page.number !== undefined || page.offset !== undefined;
  const links = paging.filter(({ fact }) => fact === 'link').map(({ relation }) => relation);
  const isCounted =
    paging.some(({ fact }) => fact === 'total' || fact === 'pages') ||
    (isNumbered && links.some((relation) => relation === undefined || relation === 'last'));
  const isPreviousRead =
    page.after !== undefined &&
    (paging.some(({ fact }) => fact === 'previous') ||
      links.some((relation) => relation === undefined || relation === 'prev'));
  if (!isNumbered && !page.isClamped && paging.length === 0) return undefined;
  return {
    maxOffset: isNumbered ? page.maxOffset : undefined,
    isClamped: page.isClamped,
    isPreviousRead,
    maxTotal: isCounted ? page.maxTotal : undefined,
    links: links.length > 0 ? secretParameters : undefined,
  };
}
