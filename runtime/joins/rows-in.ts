/** Converts results of user code to rows, for mappings and joins. */
import type { Json, Row } from '../handler/json.js';

/** The objects in a list, or a single object as one row; empty for other values. */
export function rowsIn(value: Json): readonly Row[] {
  return (Array.isArray(value) ? value : [value]).filter(isRow);
}

function isRow(value: Json): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
