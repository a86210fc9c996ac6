/** SHA256, LENGTH and LOWER. Numbers and booleans count as their text; null, lists and objects are null. No function throws. */
import { hash } from 'node:crypto';
import { textOf, type Json } from '../handler/json.js';
import { noteSecret } from './secret-values.js';

/** The SHA-256 of the UTF-8 of a string, in lower-case hexadecimal. */
export function sha256(value: string): string;
export function sha256(value: Json | undefined): string | null;
export function sha256(value: Json | undefined): string | null {
  const text = plainText(value);
  if (text === undefined) return null;
  noteSecret(text);
  return hash('sha256', text);
}

/** The number of code points of a string. */
export function lengthOf(value: string): number;
export function lengthOf(value: Json | undefined): number | null;
export function lengthOf(value: Json | undefined): number | null {
  const text = plainText(value);
  if (text === undefined) return null;
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** The string in lower case, by Unicode without a locale. */
export function lowerCase(value: string): string;
export function lowerCase(value: Json | undefined): string | null;
export function lowerCase(value: Json | undefined): string | null {
  return plainText(value)?.toLowerCase() ?? null;
}

function plainText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? textOf(value) : undefined;
}
