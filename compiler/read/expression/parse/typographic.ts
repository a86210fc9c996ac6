/** Characters of word processors and input methods instead of those that expressions are written in. */
import type { Scanner } from './scanner.js';

const plain: readonly (readonly [characters: string, plain: string])[] = [
  ['“”„‟″«»', '"'],
  ['‘’‚‛′‹›`´', "'"],
  ['–—−', '-'],
  ['≠', '!='],
  ['≤', '<='],
  ['≥', '>='],
];

/** The full-width forms of the printable ASCII characters are in the same order, at this distance. */
const fullWidthDistance = 0xfee0;

/** The character of the language that was meant by a typographic one; undefined for other characters. */
function plainForm(character: string): string | undefined {
  if (/^[！-～]$/u.test(character)) {
    return String.fromCharCode(character.charCodeAt(0) - fullWidthDistance);
  }
  return plain.find(([characters]) => character !== '' && characters.includes(character))?.[1];
}

/** Reports an error for the first such character from `start` to here; without `start`, for the next one. */
export function refuseTypographic(scanner: Scanner, start = scanner.index): boolean {
  const end = Math.max(scanner.index, start + 1);
  for (let index = start; index < end; index += 1) {
    const character = scanner.slice(index, index + 1);
    const instead = plainForm(character);
    if (instead === undefined) continue;
    scanner.errors.add('typographic-character', scanner.span(index, index + 1), { character, instead });
    return true;
  }
  return false;
}
