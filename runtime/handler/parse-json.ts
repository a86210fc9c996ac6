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

/**
 * Like JSON.parse, but a number that does not fit exactly in a double (too many digits, too large, too small) becomes a string of its
 * digits: `9007199254740993` → "9007199254740993".
 * Throws a SyntaxError (its message may quote the input) or, for more than `maxDepth` levels, a JsonDepthError.
 */
export function parseJson(text: string, maxDepth: number = defaultDepth): Json {
  if (!hasLongNumber(text) && !exponent.test(text)) return parsePlain(text, maxDepth);

  const plainValue = scan(text, maxDepth);
  const value = JSON.parse(text) as Json;
  // The input is known to be valid JSON, so quoting some numbers does not change anything else.
  if (plainValue.length === 0) return value;
  const exact = JSON.parse(quote(text, plainValue)) as Json;
  noteNumbers(exact, value);
  return exact;
}

/** Parses input whose numbers all fit in a double. The depth of the value takes less time to find than that of its text. */
function parsePlain(text: string, maxDepth: number): Json {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    // Input with both errors is reported as too deep.
    scan(text, maxDepth);
    throw error;
  }
  // Every level takes two characters, so short input cannot be nested too deeply.
  if (text.length > 2 * maxDepth && isDeeper(value, maxDepth)) throw new JsonDepthError(maxDepth);
  return value;
}

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const element of value) if (isDeeper(element, levels - 1)) return true;
    return false;
  }
  for (const name in value) if (isDeeper(value[name] ?? null, levels - 1)) return true;
  return false;
}

/** Numbers with fewer digits fit in a double, unless they have an exponent. */
const manyDigits = 16;

/**
 * Whether the input may contain a number with many digits. Looks at every 16th character, because such a number cannot be between two of
 * them.
 */
function hasLongNumber(text: string): boolean {
  for (let index = manyDigits - 1; index < text.length; index += manyDigits) {
    if (!isDigitOrPoint(text.charCodeAt(index))) continue;
    let start = index;
    while (isDigitOrPoint(text.charCodeAt(start - 1))) start -= 1;
    while (isDigitOrPoint(text.charCodeAt(index))) index += 1;
    if (index - start >= manyDigits && beforeNumber.test(text.charAt(start - 1))) return true;
  }
  return false;
}

/**
 * Matches an exponent after the digits of a number, which a minus sign, a space, `[`, `:` or `,` precedes: unlike most digits of identifiers
 * in strings.
 */
const exponent = /\d[eE][-+\d](?<=(?:^|[-\s[:,])[\d.]*[eE].)/;

const beforeNumber = /^[-\s[:,]?$/;

/** Returns false for NaN, which marks both ends of the input. */
function isDigitOrPoint(character: number): boolean {
  return (character >= code.zero && character <= code.nine) || character === code.point;
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
