/** The result of own code as rows, for mappings and joins. */
import type { Json, Row } from '../handler/json.js';

/** The objects of a list, or the one object that the value is; none of anything else. */
export function rowsIn(value: Json): readonly Row[] {
  return (Array.isArray(value) ? value : [value]).filter(isRow);
}

function isRow(value: Json): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
