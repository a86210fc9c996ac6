/** Finds the most similar known name, for "did you mean" hints. */
import { editDistance } from '../../../runtime/server/edit-distance.js';

/**
 * The candidate that differs from `name` in few edits or only in letter case; undefined if none is similar. Allows one edit per
 * `lettersForEdit` letters.
 */
export function nearest(name: string, candidates: Iterable<string>, lettersForEdit = 3): string | undefined {
  const wanted = name.toLowerCase();
  // A single letter resembles every other letter equally.
  const limit = /^\w?$/.test(wanted) ? 0 : Math.max(1, Math.floor(wanted.length / lettersForEdit));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * Whether the nearest candidate is certain: it differs only in letter case, or it is the only one at its distance and the name is long
 * enough that one edit does not produce another word.
 */
export function isUnambiguous(name: string, candidates: Iterable<string>): boolean {
  const wanted = name.toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const distances = [...new Set(candidates)]
    .map((candidate) => editDistance(wanted, candidate.toLowerCase(), limit + 1))
    .sort((a, b) => a - b);
  const [first = limit + 1, second = limit + 1] = distances;
  if (first > limit || first === second) return false;
  return first === 0 || wanted.length >= shortest;
}

/** Minimum length of a name that can be corrected automatically. */
const shortest = 3;
