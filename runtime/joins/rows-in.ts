/** Results of user code as rows, for mappings and joins. */
import type { Json, Row } from '../handler/json.js';

/** The objects of a list, or the object itself as a single row; empty for any other value. */
export function rowsIn(value: Json): readonly Row[] {
  return (Array.isArray(value) ? value : [value]).filter(isRow);
}

function isRow(value: Json): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
