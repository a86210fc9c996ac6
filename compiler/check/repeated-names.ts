/** Names that are there more than once in a list of one operation. */
import type { Located } from '../source.js';

/** The second and later ones; a name that is missing has been reported before. */
export function repeatedNames(list: readonly { readonly name: Located<string> }[]): Located<string>[] {
  const seen = new Set<string>();
  return list
    .map(({ name }) => name)
    .filter(({ value }) => {
      const isRepeated = seen.has(value);
      seen.add(value);
      return isRepeated && value !== '';
    });
}
