/**
 * Matches patterns in linear time, by following all alternatives simultaneously (Thompson's construction). JavaScript tries
 * alternatives one after the other: for a common pattern such as `^\S+@\S+$`, its time can grow with the square of the length of a
 * string, which the client chooses. Lookaheads and lookbehinds are matched in separate passes.
 */
import { Automaton } from './pattern-automaton.js';
import { maxWork, PatternRun, type Program, type Step } from './pattern-run.js';
import { parsePattern, UnsupportedPattern, type PatternTree } from './pattern-tree.js';

/** A lookahead or lookbehind. */
interface Look {
  readonly ahead: boolean;
  readonly program: Program;
}

/** Maximum steps of a program. Typical patterns have a few dozen. */
const maxSteps = 2000;

export class LinearPattern {
  private readonly looks: Look[] = [];
  private readonly program: Program;
  /** Set if positions are only tested for the start and end of the string. */
  private readonly automaton: Automaton | undefined;
  private readonly characters = new Map<string, (character: string) => boolean>();
  private size = 0;

  /** The pattern must be valid in JavaScript; `isUnicode` is the flag `u`. Throws an UnsupportedPattern. */
  constructor(
    pattern: string,
    private readonly isUnicode: boolean,
  ) {
    this.program = this.compile(parsePattern(pattern, isUnicode), true);
    this.automaton = Automaton.of(this.program);
  }

  /** Whether the pattern matches anywhere in the string; undefined if that takes too long. */
  test(text: string): boolean | undefined {
    if (this.automaton !== undefined) return this.automaton.test(text, this.isUnicode);
    const run = new PatternRun(this.isUnicode ? Array.from(text) : text);
    for (const { ahead, program } of this.looks) run.looked.push(run.find(program, ahead, false));
    const found = run.find(this.program, false, true);
    return run.work > maxWork ? undefined : found.includes(1);
  }

  /** Compiles a tree. Lookaheads are compiled backwards, because their matches are found from the end. */
  private compile(tree: PatternTree, isForward: boolean): Program {
    const steps: Step[] = [{ kind: 'end' }];
    return { steps, start: this.add(tree, 0, steps, isForward) };
  }

  /** Adds the steps of a tree, which continue at `next`, and returns the first added step. */
  private add(tree: PatternTree, next: number, steps: Step[], isForward: boolean): number {
    switch (tree.kind) {
      case 'character':
        return this.push(steps, { kind: 'character', matches: this.characterTest(tree.source), next });
      case 'sequence': {
        const parts = isForward ? tree.parts.toReversed() : tree.parts;
        return parts.reduce((after, part) => this.add(part, after, steps, isForward), next);
      }
      case 'choice':
        return this.push(steps, {
          kind: 'split',
          next: tree.parts.map((part) => this.add(part, next, steps, isForward)),
        });
      case 'repeat':
        return this.addRepeat(tree, next, steps, isForward);
      case 'position':
        return this.push(steps, { kind: 'position', at: tree.at, next });
      case 'look': {
        const program = this.compile(tree.part, !tree.ahead);
        const look = this.looks.push({ ahead: tree.ahead, program }) - 1;
        return this.push(steps, { kind: 'look', look, negative: tree.negative, next });
      }
    }
  }

  private addRepeat(
    { part, min, max }: Extract<PatternTree, { kind: 'repeat' }>,
    next: number,
    steps: Step[],
    isForward: boolean,
  ): number {
    if (Math.max(min, max === Infinity ? 0 : max) > maxSteps) throw tooLarge();
    let after = next;
    if (max === Infinity) {
      const ways = [next];
      after = this.push(steps, { kind: 'split', next: ways });
      ways.push(this.add(part, after, steps, isForward));
    } else {
      for (let optional = min; optional < max; optional += 1) {
        const first = this.add(part, after, steps, isForward);
        after = this.push(steps, { kind: 'split', next: [next, first] });
      }
    }
    for (let required = 0; required < min; required += 1) after = this.add(part, after, steps, isForward);
    return after;
  }

  private push(steps: Step[], step: Step): number {
    this.size += 1;
    if (this.size > maxSteps) throw tooLarge();
    return steps.push(step) - 1;
  }

  /** A test for a single character, which uses JavaScript once for each character. */
  private characterTest(source: string): (character: string) => boolean {
    const known = this.characters.get(source);
    if (known !== undefined) return known;
    const expression = new RegExp(`^${source}$`, this.isUnicode ? 'u' : '');
    const verdicts = new Map<string, boolean>();
    const test = (character: string): boolean => {
      let verdict = verdicts.get(character);
      if (verdict === undefined) {
        verdict = expression.test(character);
        if (verdicts.size < 1000) verdicts.set(character, verdict);
      }
      return verdict;
    };
    this.characters.set(source, test);
    return test;
  }
}

function tooLarge(): UnsupportedPattern {
  return new UnsupportedPattern('it repeats too much');
}
