/** A canonical string for each JSON value, with sorted fields: `{"b":1,"a":2}` becomes `{"a":2,"b":1}`. */
import type { Json } from '../handler/json.js';

export function canonical(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const fields = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null)}`);
  return `{${fields.join(',')}}`;
}
