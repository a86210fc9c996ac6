/** Parses quoted strings: `TEXT("…")`, names, `['any name']` in a path, strings of Syntax B. */
import type { Scanner } from './scanner.js';

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['/', '/'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
]);

/** Whether a quoted text begins here. */
export function atQuote(scanner: Scanner): boolean {
  return scanner.next === "'" || scanner.next === '"';
}

/**
 * Quoted := `'` ( Character | Escape )* `'` | `"` ( Character | Escape )* `"`
 *
 * Undefined if the quote is not closed. Reports unknown escapes and continues.
 */
export function quoted(scanner: Scanner): string | undefined {
  const start = scanner.index;
  const quote = scanner.next;
  const plain = quote === "'" ? /[^'\\]*/y : /[^"\\]*/y;
  scanner.index += 1;
  let value = '';
  for (;;) {
    value += scanner.match(plain) ?? '';
    if (scanner.take(quote)) return value;
    if (scanner.atEnd) {
      scanner.unclosed = true;
      scanner.errors.add('unclosed-quote', scanner.span(start, start + 1), { quote });
      return undefined;
    }
    value += escape(scanner);
  }
}

/** Escape := `\` followed by one of `n t r b f / \ ' "`, or by `u` and four hexadecimal digits */
function escape(scanner: Scanner): string {
  const start = scanner.index;
  const code = scanner.match(/\\u[0-9a-fA-F]{4}/y);
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code.slice(2), 16));
  scanner.index += 1;
  const letter = scanner.match(/./suy) ?? '';
  const meant = escapes.get(letter);
  // A backslash at the very end is not an escape: the error is the missing quote.
  if (meant === undefined && letter !== '') {
    scanner.errors.add('unknown-escape', scanner.span(start), { written: scanner.slice(start) });
  }
  return meant ?? '';
}

/** Formats a value as a quoted string that `quoted` can parse. */
export function quote(value: string, mark: "'" | '"'): string {
  const escaped = JSON.stringify(value).slice(1, -1);
  return mark === '"' ? `"${escaped}"` : `'${escaped.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
