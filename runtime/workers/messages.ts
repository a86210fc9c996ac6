/** The messages between the primary process and its workers. */
import type { Family } from '../management/metrics.js';
import type { Readiness } from '../management/readiness.js';

/** What the primary process asks a worker for. */
export interface Question {
  readonly id: number;
  readonly ask: 'metrics' | 'readiness';
}

/** What the worker answers, under the same number. */
export interface Answer {
  readonly id: number;
  readonly answer: readonly Family[] | Readiness;
}

/**
 * What a worker reports of itself: `turning` once a second while its event loop turns, `deaf` when it does not listen any more. The primary
 * process says `settled` when no worker listens any more.
 */
export type Signal = 'turning' | 'deaf' | 'settled';

export function isQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'ask' in message && 'id' in message;
}

export function isAnswer(message: unknown): message is Answer {
  return typeof message === 'object' && message !== null && 'answer' in message && 'id' in message;
}
