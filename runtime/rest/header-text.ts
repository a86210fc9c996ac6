/** Validates strings in headers: the compiler checks constants, the service checks values. */

/** Control characters except tabs, and characters outside Latin-1. */
const forbidden = /[^\t\x20-\x7e\x80-\xff]/;

/** Whether the string is valid in a header. */
export function isHeaderText(text: string): boolean {
  return !forbidden.test(text);
}

/** Removes surrounding spaces, which are not part of a header value (RFC 9110, section 5.5). */
export function withoutBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
