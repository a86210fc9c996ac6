/** The rules of retries: after which failures a statement or transaction runs again, where, and how often. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Call } from '../handler/call.js';
import type { Failure } from './failure.js';

/**
 * Where to run again, how often, and after which average pause in milliseconds: `first`, and for each later attempt `growth` times as long.
 */
interface Rule {
  /** `new`: a connection that was opened since. */
  readonly where: 'new' | 'own';
  readonly times: number;
  readonly pause?: { readonly first: number; readonly growth: number };
}

const rules = {
  /**
   * A READ, or BEGIN and its statement, whose connection ended: idle connections may have been lost. Also a connection that ends while it
   * is being opened.
   */
  ended: { where: 'new', times: 1 },
  /** A read on a shared connection that only waited there, met a conflict, or tried to change data. */
  shared: { where: 'own', times: 1 },
  /** A statement or transaction that a conflict has undone completely. */
  conflict: { where: 'own', times: 3, pause: { first: 50, growth: 4 } },
  /** A statement whose added RETURNING the server refuses runs again without it. */
  returning: { where: 'own', times: 1 },
} as const satisfies Record<string, Rule>;

export type Cause = keyof typeof rules;

/** The statement that failed. */
interface Attempt {
  readonly isShared: boolean;
  /** It may run twice. */
  readonly isRetryable: boolean;
  readonly isAtomic: boolean;
}

/** The rule that lets it run again; undefined if it must not. */
export function causeOf(
  { kind, aftermath }: Failure,
  { isShared, isRetryable, isAtomic }: Attempt,
): Cause | undefined {
  switch (aftermath) {
    case 'ended':
    case 'lost':
      return isRetryable ? 'ended' : undefined;
    case 'delayed':
    case 'writes':
      return isShared ? 'shared' : undefined;
    case undefined:
      if (kind !== 'conflict' || !isAtomic) return undefined;
      return isShared ? 'shared' : 'conflict';
    default:
      return undefined;
  }
}

/** The attempts of one statement or transaction. */
export class Attempts {
  private readonly rounds: Partial<Record<Cause, number>> = {};
  /** Only connections opened after this time, of `performance.now()`, are used from now on. */
  since = 0;

  constructor(private readonly call: Pick<Call, 'deadline' | 'proceed'>) {}

  /** Whether it runs again; resolves after the pause. Throws the errors of `proceed`. */
  async again(cause: Cause | undefined): Promise<boolean> {
    if (cause === undefined) return false;
    const { where, times, pause }: Rule = rules[cause];
    const round = this.rounds[cause] ?? 0;
    if (round === times) return false;
    this.rounds[cause] = round + 1;
    if (where === 'new') this.since = performance.now();
    if (pause !== undefined) {
      // A random pause of up to twice the average, so that the same statements do not meet again.
      const milliseconds = pause.first * pause.growth ** round * 2 * Math.random();
      if (performance.now() + milliseconds >= this.call.deadline) return false;
      await delay(milliseconds);
    }
    this.call.proceed();
    return true;
  }
}
