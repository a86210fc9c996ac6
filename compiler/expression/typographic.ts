/** Characters that word processors and input methods put in the place of the ones that expressions are written in. */
import type { Scanner } from './scanner.js';

const plain: readonly (readonly [characters: string, plain: string])[] = [
  ['“”„‟″«»', '"'],
  ['‘’‚‛′‹›`´', "'"],
  ['–—−', '-'],
  ['≠', '!='],
  ['≤', '<='],
  ['≥', '>='],
];

/** The full-width forms of the printable ASCII characters stand in the same order, this far away. */
const fullWidthDistance = 0xfee0;

/** What should be written instead of a character; undefined when it is none of these. */
function plainForm(character: string): string | undefined {
  if (/^[！-～]$/u.test(character)) {
    return String.fromCharCode(character.charCodeAt(0) - fullWidthDistance);
  }
  return plain.find(([characters]) => character !== '' && characters.includes(character))?.[1];
}

/** Keeps a mistake for the first such character from `start` to here; where `start` is not given, for the next one. */
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
