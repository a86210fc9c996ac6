/** Checks whether a string is valid in a header. The compiler checks constants with it, the service checks values. */

/** Control characters but the tab, and what is not Latin-1. */
const forbidden = /[^\t\x20-\x7e\x80-\xff]/;

/** Whether a header can carry the text. */
export function fitsHeader(text: string): boolean {
  return !forbidden.test(text);
}
