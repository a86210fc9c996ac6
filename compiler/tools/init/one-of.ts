/** Names one of the rows of a table: `order_items` contains order items, and one of them is an order item. */
import { singular } from '../../generate/plan/names/singular.js';

export function oneOf(table: string): string {
  return (singular(table) ?? table).replaceAll('_', ' ');
}
