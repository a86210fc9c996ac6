/** The message of a database rule that rejects a statement (RAISE, SIGNAL), prepared for the log. */
import { ExactDigits } from '../handler/exact-numbers.js';
import { BoundBytes, BoundNumber, type PassedValue } from './sql-template.js';

/** Maximum characters, because a rule may include whole rows in its message. */
const longest = 1000;

/** Replaces values of the statement by asterisks where they occur as words; includes strings and numbers inside JSON. */
export function withoutValues(message: string, values: readonly PassedValue[]): string {
  if (message.length > longest) return 'a message that is too long for the log';
  const texts = new Set(values.flatMap(textsIn));
  const found = [...texts].filter((text) => text.trim() !== '').sort((a, b) => b.length - a.length);
  let masked = message;
  for (const text of found)
    masked = masked.split(text).reduce((before, after) => joined(before, text, after));
  return masked;
}

const endsInWord = /[\p{L}\p{N}_]$/u;
const beginsWithWord = /^[\p{L}\p{N}_]/u;

/** Joins the parts around a value. A value inside a longer word belongs to that word: `a` in `closed at`. */
function joined(before: string, text: string, after: string): string {
  const isInside =
    (endsInWord.test(before) && beginsWithWord.test(text)) ||
    (endsInWord.test(text) && beginsWithWord.test(after));
  return `${before}${isInside ? text : '***'}${after}`;
}

function textsIn(value: PassedValue): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (value instanceof ExactDigits) return [value.text];
  if (value instanceof BoundNumber) return [value.digits ?? ''];
  if (value instanceof BoundBytes || typeof value !== 'object' || value === null) return [];
  return (Array.isArray(value) ? value : Object.values(value)).flatMap(textsIn);
}
