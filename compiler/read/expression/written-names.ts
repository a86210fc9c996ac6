/** The names of fulfillments, responses and triggers in a file, for hints about words that may be one of them. */
import type { Source } from '../source.js';

const known = new WeakMap<Source, ReadonlySet<string>>();

/** All names of a file: found once, because many of its expressions may be wrong. Empty where the source is an expression alone. */
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
