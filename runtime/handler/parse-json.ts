/** Parses JSON without losing digits: a number that does not fit in a double becomes a string of its digits. */
import { isExact, isJsonNumber } from './decimal.js';
import { noteNumbers, type Json } from './json.js';

/** Arrays and objects are nested more deeply than allowed. */
export class JsonDepthError extends SyntaxError {
  override readonly name = 'JsonDepthError';

  constructor(readonly maxDepth: number) {
    super(`JSON nested deeper than ${maxDepth} levels`);
  }
}

/** Far below the limit of JSON.stringify, so that every parsed value can be serialized. */
const defaultDepth = 1000;

/** Numbers with more than 15 digits or an exponent may not fit in a double. */
const mayLoseDigits = /\d[\d.]{15}|\d[eE]/;

/**
 * Like JSON.parse, but a number that does not fit exactly in a double (too many digits, too large, too small) becomes a string of its
 * digits: `9007199254740993` → "9007199254740993".
 * Throws a SyntaxError (its message may quote the input) or, for more than `maxDepth` levels, a JsonDepthError.
 */
export function parseJson(text: string, maxDepth: number = defaultDepth): Json {
  // Every level takes two characters, so short input cannot be nested too deeply.
  if (text.length <= 2 * maxDepth && !mayLoseDigits.test(text)) return JSON.parse(text) as Json;

  const plainValue = scan(text, maxDepth);
  const value = JSON.parse(text) as Json;
  // The input is known to be valid JSON, so quoting some numbers does not change anything else.
  if (plainValue.length === 0) return value;
  const exact = JSON.parse(quote(text, plainValue)) as Json;
  noteNumbers(exact, value);
  return exact;
}

/** A range of the input: [start, end). */
type Stretch = readonly [start: number, end: number];

/** Characters by code: comparing one-character strings is several times slower. */
const code = {
  quote: 34,
  plus: 43,
  minus: 45,
  point: 46,
  zero: 48,
  nine: 57,
  backslash: 92,
  e: 101,
} as const;
const bracket = { open: 91, close: 93 } as const;
const brace = { open: 123, close: 125 } as const;

/** Scans the input once, without recursion: checks the depth, and finds numbers that do not fit in a double. */
function scan(text: string, maxDepth: number): Stretch[] {
  const plainValue: Stretch[] = [];
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === code.quote) {
      index = endOfString(text, index);
    } else if (character === brace.open || character === bracket.open) {
      depth += 1;
      if (depth > maxDepth) throw new JsonDepthError(maxDepth);
    } else if (character === brace.close || character === bracket.close) {
      depth -= 1;
    } else if (character === code.minus || (character >= code.zero && character <= code.nine)) {
      const end = endOfNumber(text, index);
      if (mayBeInexact(text, index, end) && isInexact(text.slice(index, end))) plainValue.push([index, end]);
      index = end - 1;
    }
  }
  return plainValue;
}

function isInexact(number: string): boolean {
  return isJsonNumber(number) && !isExact(number);
}

/** The index of the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === code.backslash) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
  }
  return text.length;
}

/** The end of a run of digits, points, signs and exponents. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (mayBeInNumber(text.charCodeAt(end))) end += 1;
  return end;
}

/** Returns false for NaN, which marks the end of input. */
function mayBeInNumber(character: number): boolean {
  return (
    (character >= code.zero && character <= code.nine) ||
    character === code.point ||
    character === code.minus ||
    character === code.plus ||
    (character | lowerCase) === code.e
  );
}

/** Numbers with few digits and without an exponent are exact. */
function mayBeInexact(text: string, start: number, end: number): boolean {
  if (end - start > 15) return true;
  for (let index = start; index < end; index += 1)
    if ((text.charCodeAt(index) | lowerCase) === code.e) return true;
  return false;
}

/** The bit by which lower-case and upper-case letters differ. */
const lowerCase = 32;

function quote(text: string, stretches: readonly Stretch[]): string {
  let quoted = '';
  let done = 0;
  for (const [start, end] of stretches) {
    quoted += `${text.slice(done, start)}"${text.slice(start, end)}"`;
    done = end;
  }
  return quoted + text.slice(done);
}
