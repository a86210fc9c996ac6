/** Parses names as arguments in Syntax A: of a parameter, header, fulfillment or multipart part. */
import type { Place } from '../ast.js';
import { atQuote, quote, quoted } from './quoted.js';
import type { Scanner } from './scanner.js';
import { refuseTypographic } from './typographic.js';

/** The kind of thing that is named. */
export type Owner = 'parameter' | Place | 'part' | 'fulfillment' | 'variable' | 'authentication' | 'function';

/** A name, and its characters as written. */
export interface Name {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Characters of an unquoted name. It can also contain paired `[` and `]`, as in the query parameter `filter[state]`, unless it names a
 * fulfillment, where a path would begin.
 */
const nameCharacters = /[\p{L}\p{M}\p{N}_.$-]+/uy;

/** BareName := NameCharacters ( ( ' ' | `[` | `]` )* NameCharacters )*, without the beginning of a path */
function bareName(scanner: Scanner, owner: Owner): string | undefined {
  const start = scanner.index;
  if (scanner.peek(/\$(?:[.[,)\s]|$)/y) !== undefined) return undefined;
  if (scanner.match(nameCharacters) === undefined) return undefined;
  let end = scanner.index;
  let open = 0;
  for (;;) {
    const space = scanner.match(/ +/y);
    if (owner !== 'fulfillment' && space === undefined && scanner.take('[')) open += 1;
    else if (space === undefined && open > 0 && scanner.take(']')) open -= 1;
    else if (scanner.match(nameCharacters) === undefined) break;
    end = scanner.index;
  }
  scanner.index = end;
  return open === 0 ? scanner.slice(start, end) : undefined;
}

/**
 * Name := Quoted | BareName
 * Reports an invalid name and skips to its end.
 */
export function name(scanner: Scanner, owner: Owner): Name | undefined {
  const start = scanner.index;
  const value = atQuote(scanner) ? quoted(scanner) : bareName(scanner, owner);
  if (value === undefined && scanner.unclosed) return undefined;
  const end = scanner.index;
  if (value !== undefined && value !== '' && scanner.peek(/\s*(?:[,)\]]|$)/y) !== undefined) {
    return { value, start, end };
  }
  scanner.index = start;
  return malformed(scanner, owner, start);
}

function malformed(scanner: Scanner, owner: Owner, start: number): Name | undefined {
  skipArgument(scanner);
  const written = scanner.slice(start).trimEnd();
  if (!refuseTypographic(scanner, start)) {
    scanner.errors.add('malformed-name', scanner.span(start, start + written.length), { owner, written });
  }
  return { value: '', start, end: scanner.index };
}

/** Moves to the `,`, `)` or `]` that ends the current argument, skipping nested parentheses and brackets. */
export function skipArgument(scanner: Scanner): void {
  scanner.match(/\s*(?:"[^"]*"|'[^']*')/y);
  for (let open = 0; ; scanner.index += 1) {
    scanner.match(open === 0 ? /[^()[\],]+/y : /[^()[\]]+/y);
    const closes = scanner.next === ')' || scanner.next === ']';
    if (scanner.atEnd || (open === 0 && (closes || scanner.next === ','))) return;
    open += closes ? -1 : 1;
  }
}

/** Prints a name as an argument, quoted if necessary. */
export function printName(value: string): string {
  const bare =
    /^[\p{L}\p{M}\p{N}_.$-]+(?: +[\p{L}\p{M}\p{N}_.$-]+)*$/u.test(value) && !/^\$(?:[.\s]|$)/.test(value);
  return bare ? value : quote(value, '"');
}
