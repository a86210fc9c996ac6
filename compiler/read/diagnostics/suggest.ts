/** Finds the most similar known name, for "did you mean" hints. */

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

/** Optimal string alignment distance, where swapping neighbors is one edit. Returns `limit` for any distance of `limit` or more. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return Math.min(last[b.length] ?? limit, limit);
}
