/** Parses JSON without losing a digit: a number that a double cannot hold becomes a string of its digits. */
import { isExact, isJsonNumber } from './decimal.js';
import type { Json } from './json.js';

/** The text nests arrays and objects deeper than allowed. */
export class JsonDepthError extends SyntaxError {
  override readonly name = 'JsonDepthError';

  constructor(readonly maxDepth: number) {
    super(`JSON nested deeper than ${maxDepth} levels`);
  }
}

/** Far below the depth at which JSON.stringify gives up, so that whatever was read can be written again. */
const defaultDepth = 1000;

/** Anything longer than 15 digits, or with an exponent, may be more than a double holds. */
const mayLoseDigits = /\d[\d.]{15}|\d[eE]/;

/**
 * The value of a JSON text, as JSON.parse reads it, except that a number whose exact value a double cannot carry
 * (too many digits, too large, too small) becomes a string with the text as it was written.
 * Throws a SyntaxError (its message may quote the text) or, for more than `maxDepth` levels, a JsonDepthError.
 */
export function parseJson(text: string, maxDepth: number = defaultDepth): Json {
  // Every level takes two characters, so a short text cannot be too deep.
  if (text.length <= 2 * maxDepth && !mayLoseDigits.test(text)) return JSON.parse(text) as Json;

  const inexact = scan(text, maxDepth);
  const value = JSON.parse(text) as Json;
  // From here on the text is known to be JSON, so putting quotes around some of its numbers changes only those.
  return inexact.length === 0 ? value : (JSON.parse(quote(text, inexact)) as Json);
}

/** A stretch of the text: [start, end). */
type Stretch = readonly [start: number, end: number];

/** Characters by their code: comparing texts of one character takes several times as long. */
const code = { quote: 34, minus: 45, zero: 48, nine: 57, open: 91, backslash: 92, close: 93 } as const;
const brace = { open: 123, close: 125 } as const;

/** One pass over the text, without recursion: measures the depth, and finds the numbers that a double cannot carry. */
function scan(text: string, maxDepth: number): Stretch[] {
  const inexact: Stretch[] = [];
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === code.quote) {
      index = endOfString(text, index);
    } else if (character === brace.open || character === code.open) {
      depth += 1;
      if (depth > maxDepth) throw new JsonDepthError(maxDepth);
    } else if (character === brace.close || character === code.close) {
      depth -= 1;
    } else if (character === code.minus || (character >= code.zero && character <= code.nine)) {
      const end = endOfNumber(text, index);
      if (isInexact(text.slice(index, end))) inexact.push([index, end]);
      index = end - 1;
    }
  }
  return inexact;
}

function isInexact(number: string): boolean {
  return mayLoseDigits.test(number) && isJsonNumber(number) && !isExact(number);
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

/** Whatever may stand in a number: digits, points, signs, exponents. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (mayBeInNumber(text.charCodeAt(end))) end += 1;
  return end;
}

/** False for NaN, behind the end of the text. */
function mayBeInNumber(character: number): boolean {
  if (character >= code.zero && character <= code.nine) return true;
  return numberCodes.has(character);
}

const numberCodes = new Set(Array.from('-+.eE', (character) => character.charCodeAt(0)));

function quote(text: string, stretches: readonly Stretch[]): string {
  let quoted = '';
  let done = 0;
  for (const [start, end] of stretches) {
    quoted += `${text.slice(done, start)}"${text.slice(start, end)}"`;
    done = end;
  }
  return quoted + text.slice(done);
}
