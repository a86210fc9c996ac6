/** The set of the words of a text: long lists of words stay readable. */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
