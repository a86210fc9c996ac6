/** Names that are there more than once in a list of one operation. */
import type { Located, Place } from '../source.js';

/** A name that is there before; `first` is where. */
export interface RepeatedName extends Located<string> {
  readonly first: Place;
}

/** The second and later ones; a name that is missing has been reported before. */
export function repeatedNames(list: readonly { readonly name: Located<string> }[]): RepeatedName[] {
  const seen = new Map<string, Place>();
  return list.flatMap(({ name }) => {
    const first = seen.get(name.value);
    if (first === undefined) seen.set(name.value, name.place);
    return first === undefined || name.value === '' ? [] : [{ ...name, first }];
  });
}
