/** Prints JSON values as YAML. Strings are in JSON's quotes, which YAML also accepts, unless they are plain words. */
import type { Json, JsonObject } from '../handler/json.js';

/** A string that needs no quotes: not a number, boolean, null or indicator of YAML. */
const plain = /^[A-Za-z][\w/{}-]*(?: [A-Za-z][\w/{}-]*)*$/;
const taken = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

export function yamlText(value: Json): string {
  return `${block(value, 0)}\n`;
}

function block(value: Json, depth: number): string {
  const indent = '  '.repeat(depth);
  if (Array.isArray(value))
    return value.length === 0
      ? '[]'
      : value.map((item) => `${indent}- ${block(item, depth + 1).trimStart()}`).join('\n');
  if (typeof value !== 'object' || value === null) return scalar(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  return entries.map(([key, item]) => `${indent}${scalar(key)}:${valueOf(item, depth)}`).join('\n');
}

function valueOf(item: Json, depth: number): string {
  const isBlock = isFilled(item);
  // A list is indented below its key, as people write it.
  return isBlock ? `\n${block(item, depth + 1)}` : ` ${block(item, depth)}`;
}

function isFilled(value: Json): value is Json[] | JsonObject {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function scalar(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return String(value);
  return plain.test(value) && !taken.test(value) ? value : JSON.stringify(value);
}
