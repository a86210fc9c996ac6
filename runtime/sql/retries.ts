/** The rules of attempts: after which failures a statement or transaction runs again, where, and how often. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Call } from '../handler/call.js';
import type { Failure } from './failure.js';

/** Where to run again, how often, and after a pause of so many milliseconds on average, the first time, each later one `growth` times as long. */
interface Rule {
  /** `new`: a connection that was made since. */
  readonly where: 'new' | 'own';
  readonly times: number;
  readonly pause?: { readonly first: number; readonly growth: number };
}

const rules = {
  /** A READ whose connection ended, and BEGIN and what is sent with it: idle connections may have been lost. Also a connection that is being made. */
  ended: { where: 'new', times: 1 },
  /** A read of a shared connection that only waited there, met a conflict, or would have changed data. */
  shared: { where: 'own', times: 1 },
  /** A statement, or a transaction, that a conflict has undone as a whole. */
  conflict: { where: 'own', times: 3, pause: { first: 50, growth: 4 } },
  /** A statement whose added RETURNING the server refuses: without it. */
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

/** Why it may run again; undefined where it may not. */
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
  /** Only connections that were made after this time, of `performance.now()`, are used from now on. */
  since = 0;

  constructor(private readonly call: Pick<Call, 'deadline' | 'proceed'>) {}

  /** Whether it runs again, after the pause that it takes. Throws what `proceed` throws. */
  async again(cause: Cause | undefined): Promise<boolean> {
    if (cause === undefined) return false;
    const { where, times, pause }: Rule = rules[cause];
    const round = this.rounds[cause] ?? 0;
    if (round === times) return false;
    this.rounds[cause] = round + 1;
    if (where === 'new') this.since = performance.now();
    if (pause !== undefined) {
      // From nothing to twice as long: those who met do not meet again.
      const milliseconds = pause.first * pause.growth ** round * 2 * Math.random();
      if (performance.now() + milliseconds >= this.call.deadline) return false;
      await delay(milliseconds);
    }
    this.call.proceed();
    return true;
  }
}
