/** What a header can carry: the compiler asks this of constants, the service of values (decisions 6.3). */

/** Control characters but the tab, and what is not Latin-1. */
const forbidden = /[^\t\x20-\x7e\x80-\xff]/;

/** Whether a header can carry the text. */
export function fitsHeader(text: string): boolean {
  return !forbidden.test(text);
}
