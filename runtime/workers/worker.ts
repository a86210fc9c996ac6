/** One of several processes of a service: it serves requests, and exchanges messages with the primary process. */
import type { Family } from '../management/metrics.js';
import type { Readiness } from '../management/readiness.js';
import { setTimeout as delay } from 'node:timers/promises';
import type { Management } from '../management/listener.js';

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

/** Milliseconds between two signs of life. */
const heartbeat = 1000;
/** Milliseconds to wait for the other processes: one of them may be stuck. */
const settling = 1000;

/** What a process does that is one of several. */
export interface WorkerProcess {
  /** Answers the questions of the primary process from now on. */
  readonly answerPrimary: (management: Management) => void;
  /** Reports that this process does not listen any more, and ends when none does. */
  readonly settled: () => Promise<void>;
}

/** Reports that its event loop turns from now on. */
export function asWorker(): WorkerProcess {
  setInterval(() => {
    send('turning');
  }, heartbeat).unref();
  return {
    answerPrimary(management) {
      process.on('message', (message) => {
        if (!isQuestion(message)) return;
        const { id, ask } = message;
        const told = ask === 'metrics' ? management.metrics() : management.readiness();
        void told.then((answer) => {
          send({ id, answer });
        });
      });
    },
    async settled() {
      const told = new Promise<void>((resolve) => {
        process.on('message', (message) => {
          if (message === ('settled' satisfies Signal)) resolve();
        });
      });
      send('deaf');
      await Promise.race([told, delay(settling, undefined, { ref: false })]);
    },
  };
}

/** The primary process may be gone. */
function send(message: Answer | Signal): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
