/** A random sample of an area's mutants. */
import { Random } from '../../helpers/random.js';
import type { SourceFile } from '../../project/sources.js';
import { mutationsOf, type Mutation } from './mutations.js';
import type { NumberedMutation } from './switched-text.js';

/** A mutant with its position. */
export interface Mutant extends NumberedMutation {
  readonly path: string;
  /** The line and the change. */
  readonly description: string;
  /** The change without the line. */
  readonly change: string;
}

export interface Sample {
  /** The number of all mutants in the area. */
  readonly total: number;
  readonly mutants: readonly Mutant[];
}

/** `count` mutants, each with the same probability; all mutants if there are fewer. */
export function sampleOf(sources: readonly SourceFile[], count: number, seed: number): Sample {
  const all = sources.flatMap(({ path, text }) =>
    mutationsOf(path, text).map((mutation) => ({ path, text, mutation })),
  );
  const random = new Random(seed);
  const rest = all.map((_, index) => index);
  const picked = new Set<number>();
  while (picked.size < Math.min(count, all.length)) {
    const [index = 0] = rest.splice(random.below(rest.length), 1);
    picked.add(index);
  }
  const mutants = all.flatMap(({ path, text, mutation }, id) =>
    picked.has(id) ? [{ ...mutation, id, path, ...described(path, text, mutation) }] : [],
  );
  return { total: all.length, mutants };
}

function described(
  path: string,
  text: string,
  { start, end, text: other = '{}' }: Mutation,
): Pick<Mutant, 'description' | 'change'> {
  const line = text.slice(0, start).split('\n').length;
  const change = difference(text.slice(start, end), other);
  return { description: `${path}:${line} ${change}`, change };
}

/** Both texts; for long texts, only the difference with some context. */
function difference(text: string, other: string): string {
  const [before, after] = [text, other].map((one) => one.replaceAll(/\s+/g, ' ')) as [string, string];
  if (before.length <= 60) return `${before} → ${after}`;
  if (after.length <= 20) return `${before.slice(0, 40)} … ${before.slice(-15)} → ${after}`;
  let same = 0;
  while (before[same] === after[same]) same += 1;
  const from = Math.max(0, same - 25);
  return `… ${before.slice(from, from + 50)} … → … ${after.slice(from, from + 50)} …`;
}
