/** The set of the words of a text: lists of SQL keywords stay readable. */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
