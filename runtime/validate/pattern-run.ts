/** Runs the program of a pattern on a string. All alternatives are followed simultaneously, so the time is linear. */

/** A step of a program: consumes a character, or tests the position. */
export type Step =
  | { readonly kind: 'character'; readonly matches: (character: string) => boolean; readonly next: number }
  | { readonly kind: 'split'; readonly next: readonly number[] }
  | { readonly kind: 'position'; readonly at: Position; readonly next: number }
  | { readonly kind: 'look'; readonly look: number; readonly negative: boolean; readonly next: number }
  | { readonly kind: 'end' };

/** The start or end of the string, a word boundary, or a position that is not a word boundary. */
export type Position = 'start' | 'end' | 'boundary' | 'inside';

export interface Program {
  readonly steps: readonly Step[];
  readonly start: number;
}

/** Maximum steps for one string: about a tenth of a second. */
export const maxWork = 1_000_000;

/** A string with cached results. */
export class PatternRun {
  work = 0;
  /** For each lookaround, an array with 1 at the positions where it matches. */
  readonly looked: Uint8Array[] = [];

  constructor(private readonly text: ArrayLike<string>) {}

  /** An array with 1 at each position where a match ends (or begins, if run backwards). With `isEnough`, stops at the first match. */
  find({ steps, start }: Program, isBackward: boolean, isEnough: boolean): Uint8Array {
    const { length } = this.text;
    const found = new Uint8Array(length + 1);
    /** The position at which each step was last reached, plus one. */
    const reached = new Int32Array(steps.length);
    let active: number[] = [];
    for (let count = 0; count <= length && this.work <= maxWork; count += 1) {
      const position = isBackward ? length - count : count;
      const todo = [...active, start];
      const waiting: number[] = [];
      for (let index = todo.pop(); index !== undefined; index = todo.pop()) {
        if (reached[index] === count + 1) continue;
        reached[index] = count + 1;
        this.work += 1;
        const step = steps[index];
        if (step?.kind === 'character') waiting.push(index);
        else if (step?.kind === 'split') todo.push(...step.next);
        else if (step?.kind === 'end') found[position] = 1;
        else if (step !== undefined && this.holds(step, position)) todo.push(step.next);
      }
      if (isEnough && found[position] === 1) break;
      const character = this.text[isBackward ? position - 1 : position];
      active = [];
      if (character === undefined) continue;
      for (const index of waiting) {
        const step = steps[index];
        if (step?.kind === 'character' && step.matches(character)) active.push(step.next);
      }
    }
    return found;
  }

  private holds(step: Extract<Step, { kind: 'position' | 'look' }>, position: number): boolean {
    if (step.kind === 'look') return (this.looked[step.look]?.[position] === 1) !== step.negative;
    if (step.at === 'start') return position === 0;
    if (step.at === 'end') return position === this.text.length;
    const isBoundary = isWord(this.text[position - 1]) !== isWord(this.text[position]);
    return isBoundary === (step.at === 'boundary');
  }
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /^\w$/.test(character);
}
