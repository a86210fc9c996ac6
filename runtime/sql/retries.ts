/** Retry rules: after which failures a statement or transaction runs again, where, and how often. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Call } from '../handler/call.js';
import type { Failure } from './failure.js';

/**
 * Where to retry, how often, and after which average pause in milliseconds: initially `first`, multiplied by `growth` for each later
 * attempt.
 */
interface Rule {
  /** `new`: a connection opened after the failure. */
  readonly where: 'new' | 'own';
  readonly times: number;
  readonly pause?: { readonly first: number; readonly growth: number };
}

const rules = {
  /**
   * A READ, or a BEGIN with its statement, whose connection ended, because idle connections may have been lost. Also a connection that
   * ends while being opened.
   */
  ended: { where: 'new', times: 1 },
  /** A read on a shared connection that only waited, met a conflict, or tried to change data. */
  shared: { where: 'own', times: 1 },
  /** A statement or transaction that was rolled back completely by a conflict. */
  conflict: { where: 'own', times: 3, pause: { first: 50, growth: 4 } },
  /** A statement with an added RETURNING that the server rejects: it is retried without the RETURNING. */
  returning: { where: 'own', times: 1 },
} as const satisfies Record<string, Rule>;

export type Cause = keyof typeof rules;

/** The failed statement. */
interface Attempt {
  readonly isShared: boolean;
  /** Whether the statement may run twice. */
  readonly isRetryable: boolean;
  readonly isAtomic: boolean;
}

/** The rule under which the statement is retried; undefined if it must not be. */
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
  /** From now on, only connections opened after this time of `performance.now()` are used. */
  since = 0;

  constructor(private readonly call: Pick<Call, 'deadline' | 'proceed'>) {}

  /** Whether to retry; resolves after the pause. Throws the errors of `proceed`. */
  async again(cause: Cause | undefined): Promise<boolean> {
    if (cause === undefined) return false;
    const { where, times, pause }: Rule = rules[cause];
    const round = this.rounds[cause] ?? 0;
    if (round === times) return false;
    this.rounds[cause] = round + 1;
    if (where === 'new') this.since = performance.now();
    if (pause !== undefined) {
      // A random pause, up to twice the average, so that the same statements do not collide again.
      const milliseconds = pause.first * pause.growth ** round * 2 * Math.random();
      if (performance.now() + milliseconds >= this.call.deadline) return false;
      await delay(milliseconds);
    }
    this.call.proceed();
    return true;
  }
}
