/** The nearest known name, for "did you mean". */

/**
 * The candidate that differs from `name` by few edits or by letter case only; undefined if none is similar. One of `lettersForEdit` letters
 * may be wrong.
 */
export function nearest(name: string, candidates: Iterable<string>, lettersForEdit = 3): string | undefined {
  const wanted = name.toLowerCase();
  // One letter is as far from every other as it can be.
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
 * Whether the nearest candidate is sure to be meant: it differs in letter case only, or it is the only one of that distance and
 * the name is not so short that one edit makes another word of it.
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

/** The number of letters that a name must have to be corrected without a question. */
const shortest = 3;

/** Optimal string alignment distance (a swap of neighbours is one edit); a distance of `limit` or more is `limit`. */
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
