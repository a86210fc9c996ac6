/** Runs the program of a pattern as an automaton that is built during matching: each known character takes one look-up. */
import { maxWork, type Program, type Step } from './pattern-run.js';

interface State {
  /** Steps that consume the next character. */
  readonly waiting: readonly Extract<Step, { kind: 'character' }>[];
  /** Whether a match ends here. */
  readonly isFound: boolean;
  /** Whether a match ends here at the end of the string. */
  readonly isFoundAtEnd: boolean;
  /** The next state, by character code. */
  readonly next: Map<number, State>;
}

/** Maximum number of cached transitions, to limit memory. */
const maxTransitions = 20_000;

export class Automaton {
  private states = new Map<string, State>();
  private transitions = 0;
  private first: State | undefined;

  private constructor(private readonly program: Program) {}

  /** Creates an automaton; undefined if a step tests for anything but the start and end of the string. */
  static of(program: Program): Automaton | undefined {
    const isPlain = program.steps.every(
      (step) =>
        step.kind !== 'look' && (step.kind !== 'position' || step.at === 'start' || step.at === 'end'),
    );
    return isPlain ? new Automaton(program) : undefined;
  }

  /** Whether the pattern matches anywhere in the string; undefined if that takes too long. */
  test(text: string, isUnicode: boolean): boolean | undefined {
    if (this.transitions > maxTransitions) {
      this.states = new Map();
      this.first = undefined;
      this.transitions = 0;
    }
    let state = (this.first ??= this.stateOf([this.program.start], true));
    let work = 0;
    for (let index = 0; index < text.length && !state.isFound;) {
      const unit = text.charCodeAt(index);
      const isPair = isUnicode && unit >= 0xd800 && unit < 0xdc00;
      const code = isPair ? (text.codePointAt(index) ?? unit) : unit;
      index += code > 0xffff ? 2 : 1;
      let next = state.next.get(code);
      if (next === undefined) {
        work += this.program.steps.length;
        if (work > maxWork) return undefined;
        next = this.after(state, String.fromCodePoint(code));
        this.transitions += 1;
        if (this.transitions <= maxTransitions) state.next.set(code, next);
      }
      // A match is no longer possible.
      if (next.waiting.length === 0 && !next.isFound && !next.isFoundAtEnd) return false;
      state = next;
    }
    return state.isFound || state.isFoundAtEnd;
  }

  private after({ waiting }: State, character: string): State {
    const reached = waiting.filter(({ matches }) => matches(character)).map(({ next }) => next);
    // A match may start at every character.
    return this.stateOf(
      [...new Set([...reached, this.program.start])].sort((a, b) => a - b),
      false,
    );
  }

  private stateOf(steps: readonly number[], isStart: boolean): State {
    const key = `${isStart ? '^' : ''}${steps.join()}`;
    const known = this.states.get(key);
    if (known !== undefined) return known;
    const { waiting, isFound } = this.follow(steps, isStart, false);
    const isFoundAtEnd = this.follow(steps, isStart, true).isFound;
    const state = { waiting, isFound, isFoundAtEnd, next: new Map<number, State>() };
    if (this.transitions <= maxTransitions) this.states.set(key, state);
    return state;
  }

  /** The steps reachable without consuming a character. */
  private follow(
    from: readonly number[],
    isStart: boolean,
    isEnd: boolean,
  ): { readonly waiting: State['waiting']; readonly isFound: boolean } {
    const waiting: Extract<Step, { kind: 'character' }>[] = [];
    const todo = [...from];
    const reached = new Set<number>();
    let isFound = false;
    for (let index = todo.pop(); index !== undefined; index = todo.pop()) {
      const step = reached.has(index) ? undefined : this.program.steps[index];
      reached.add(index);
      if (step?.kind === 'character') waiting.push(step);
      else if (step?.kind === 'split') todo.push(...step.next);
      else if (step?.kind === 'end') isFound = true;
      else if (step?.kind === 'position' && (step.at === 'start' ? isStart : isEnd)) todo.push(step.next);
    }
    return { waiting, isFound };
  }
}
