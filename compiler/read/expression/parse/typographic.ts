/** Reports characters from word processors and input methods that replace ASCII characters of expressions. */
import type { Scanner } from './scanner.js';

const plain: readonly (readonly [characters: string, plain: string])[] = [
  ['“”„‟″«»', '"'],
  ['‘’‚‛′‹›`´', "'"],
  ['–—−', '-'],
  ['≠', '!='],
  ['≤', '<='],
  ['≥', '>='],
];

/** Distance from printable ASCII characters to their full-width forms, which are in the same order. */
const fullWidthDistance = 0xfee0;

/** The ASCII equivalent of a typographic character; undefined for other characters. */
function plainForm(character: string): string | undefined {
  if (/^[！-～]$/u.test(character)) {
    return String.fromCharCode(character.charCodeAt(0) - fullWidthDistance);
  }
  return plain.find(([characters]) => character !== '' && characters.includes(character))?.[1];
}

/** Reports the first typographic character from `start` to the current index; without `start`, checks the next character. */
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
