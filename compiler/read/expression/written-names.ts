/** The names of fulfillments, responses and triggers in a file, for hints about words that may refer to them. */
import type { Source } from '../source.js';

const known = new WeakMap<Source, ReadonlySet<string>>();

/** All names in a file, cached because many expressions may be wrong. Empty if the source is a single expression. */
export function writtenNames(source: Source): ReadonlySet<string> {
  const names =
    known.get(source) ??
    new Set(
      [...source.text.matchAll(/\bname:[ \t]{0,20}["']?([\p{L}\p{N}_-]{1,80})/gu)].map(
        ([, name = '']) => name,
      ),
    );
  known.set(source, names);
  return names;
}
