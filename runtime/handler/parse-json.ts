/** Parses JSON without losing a digit: a number that a double cannot hold becomes a string of its digits. */
import { isExact, isJsonNumber } from './decimal.js';
import { noteNumbers, type Json } from './json.js';

/** Arrays and objects are nested deeper than allowed. */
export class JsonDepthError extends SyntaxError {
  override readonly name = 'JsonDepthError';

  constructor(readonly maxDepth: number) {
    super(`JSON nested deeper than ${maxDepth} levels`);
  }
}

/** Far below the limit of JSON.stringify, so that every parsed value can be written again. */
const defaultDepth = 1000;

/** Anything longer than 15 digits, or with an exponent, may be more than a double holds. */
const mayLoseDigits = /\d[\d.]{15}|\d[eE]/;

/**
 * Parses as JSON.parse does, but a number that a double cannot hold exactly (too many digits, too large, too small) becomes a
 * string of its digits: `9007199254740993` → "9007199254740993".
 * Throws a SyntaxError (its message may quote the input) or, for more than `maxDepth` levels, a JsonDepthError.
 */
export function parseJson(text: string, maxDepth: number = defaultDepth): Json {
  // Every level takes two characters, so a short input cannot be too deep.
  if (text.length <= 2 * maxDepth && !mayLoseDigits.test(text)) return JSON.parse(text) as Json;

  const plainValue = scan(text, maxDepth);
  const value = JSON.parse(text) as Json;
  // The input is valid JSON here, so putting some of its numbers in quotes changes nothing else.
  if (plainValue.length === 0) return value;
  const exact = JSON.parse(quote(text, plainValue)) as Json;
  noteNumbers(exact, value);
  return exact;
}

/** A range of the input: [start, end). */
type Stretch = readonly [start: number, end: number];

/** Characters by their code: comparing strings of one character is several times slower. */
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

/** One pass over the input, without recursion: measures the depth, and finds the numbers that a double cannot hold. */
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

/** The index of the quote that closes the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === code.backslash) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
  }
  return text.length;
}

/** Characters of numbers: digits, points, signs, exponents. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (mayBeInNumber(text.charCodeAt(end))) end += 1;
  return end;
}

/** False for NaN, after the end of the input. */
function mayBeInNumber(character: number): boolean {
  return (
    (character >= code.zero && character <= code.nine) ||
    character === code.point ||
    character === code.minus ||
    character === code.plus ||
    (character | lowerCase) === code.e
  );
}

/** Of few digits, and without an exponent, every number is exact. */
function mayBeInexact(text: string, start: number, end: number): boolean {
  if (end - start > 15) return true;
  for (let index = start; index < end; index += 1)
    if ((text.charCodeAt(index) | lowerCase) === code.e) return true;
  return false;
}

/** The bit by which small letters differ from capital ones. */
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
