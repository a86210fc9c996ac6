/** Checks whether a string is valid in a header. The compiler checks constants with it, the service checks values. */

/** Control characters except the tab, and characters beyond Latin-1. */
const forbidden = /[^\t\x20-\x7e\x80-\xff]/;

/** Whether the string is valid in a header. */
export function fitsHeader(text: string): boolean {
  return !forbidden.test(text);
}
