/** Applies fixes to a file. Text outside of the edits is unchanged, byte for byte. */
import type { Edit, Fix } from './fix.js';

/** The text with the edits, which do not overlap, in any order. */
export function withEdits(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, text: instead } of [...edits].sort((a, b) => a.start - b.start)) {
    pieces.push(text.slice(from, start), instead);
    from = end;
  }
  return pieces.join('') + text.slice(from);
}

/** Fixes of a text of this length that can be made together: of two that overlap the first one of the list. */
export function togetherOf<T extends { readonly fix: Fix }>(list: readonly T[], length: number): T[] {
  const isTaken = new Uint8Array(length + 1);
  return list.filter(({ fix: { edits } }) => {
    const stretches = edits.map(({ start, end }) => ({ start, end: Math.max(end, start + 1) }));
    if (stretches.some(({ start, end }) => isTaken.subarray(start, end).includes(1))) return false;
    for (const { start, end } of stretches) isTaken.fill(1, start, end);
    return true;
  });
}
