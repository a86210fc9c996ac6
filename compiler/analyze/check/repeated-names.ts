/** Names that are there more than once in a list of one operation. */
import type { WithSpan, Span } from '../../read/source.js';

/** A name that is there before; `first` is where. */
export interface RepeatedName extends WithSpan<string> {
  readonly first: Span;
}

/** The second and later ones; a name that is missing has been reported before. */
export function repeatedNames(list: readonly { readonly name: WithSpan<string> }[]): RepeatedName[] {
  const seen = new Map<string, Span>();
  return list.flatMap(({ name }) => {
    const first = seen.get(name.value);
    if (first === undefined) seen.set(name.value, name.span);
    return first === undefined || name.value === '' ? [] : [{ ...name, first }];
  });
}
