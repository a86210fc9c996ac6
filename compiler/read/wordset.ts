/** Splits a text into a set of words, to keep long lists of words readable. */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
