/** The words for one of the rows of a table: `order_items` has order items, and one is an order item. */
import { singular } from '../../generate/plan/names/singular.js';

export function oneOf(table: string): string {
  return (singular(table) ?? table).replaceAll('_', ' ');
}
