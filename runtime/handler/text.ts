/** Values inside of texts. */
import type { Json } from './json.js';

/** What a value is in the text of a message (decisions 7.2): null is nothing, arrays and objects are JSON. */
export function textOf(value: Json | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
