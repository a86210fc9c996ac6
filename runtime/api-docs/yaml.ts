/** Prints JSON values as YAML. Strings are quoted as in JSON, which YAML also accepts, unless they are plain words. */
import type { Json, JsonObject } from '../handler/json.js';

/** A string that does not need quotes: not a number, boolean, null or YAML indicator. */
const plain = /^[A-Za-z][\w/{}-]*(?: [A-Za-z][\w/{}-]*)*$/;
const taken = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
/** Characters that YAML forbids, or that end a line in YAML 1.1, and that JSON does not escape. */
const unreadable = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

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
  // Lists are indented below their key, as is customary.
  return isBlock ? `\n${block(item, depth + 1)}` : ` ${block(item, depth)}`;
}

function isFilled(value: Json): value is Json[] | JsonObject {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function scalar(value: string | number | boolean | null): string {
  // YAML 1.1 reads a number with an exponent but no fraction as a string.
  if (typeof value !== 'string') return String(value).replace(/^(-?\d+)e/, '$1.0e');
  if (plain.test(value) && !taken.test(value)) return value;
  return JSON.stringify(value).replace(
    unreadable,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
