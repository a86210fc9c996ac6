/** Applies fixes to a file. Text outside of the edits remains unchanged, byte for byte. */
import type { Edit, Fix } from './fix.js';

/** The text with the edits applied. Edits can be in any order but must not overlap. */
export function withEdits(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, text: instead } of [...edits].sort((a, b) => a.start - b.start)) {
    pieces.push(text.slice(from, start), instead);
    from = end;
  }
  return pieces.join('') + text.slice(from);
}

/** The fixes of a text of this length that can be applied together; of overlapping fixes, the first is kept. */
export function togetherOf<T extends { readonly fix: Fix }>(list: readonly T[], length: number): T[] {
  const isTaken = new Uint8Array(length + 1);
  return list.filter(({ fix: { edits } }) => {
    const stretches = edits.map(({ start, end }) => ({ start, end: Math.max(end, start + 1) }));
    if (stretches.some(({ start, end }) => isTaken.subarray(start, end).includes(1))) return false;
    for (const { start, end } of stretches) isTaken.fill(1, start, end);
    return true;
  });
}
